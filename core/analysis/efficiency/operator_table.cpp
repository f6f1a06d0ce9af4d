#include "core/analysis/efficiency/operator_table.hpp"

#include "core/base/small_json.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

namespace core {
namespace {

namespace table {
using enum FlopRule;
using enum MaskCorner;

// clang-format off
constexpr OperatorRow kRows[] = {
    {.name = "aten::mm", .rule = Product},
    {.name = "aten::_int_mm", .rule = Product},
    {.name = "aten::addmm", .rule = Product, .a = 1, .b = 2, .added = 0, .beta = 3},
    {.name = "aten::_addmm_activation", .rule = Product, .a = 1, .b = 2, .added = 0, .beta = 3},
    {.name = "aten::bmm", .rule = Product},
    {.name = "aten::baddbmm", .rule = Product, .a = 1, .b = 2, .added = 0, .beta = 3},
    {.name = "aten::addbmm", .rule = ProductOverBatch, .a = 1, .b = 2, .added = 0, .beta = 3},
    {.name = "aten::linear", .rule = Linear, .added = 2},
    {.name = "aiter::gemm_a16w16", .rule = Linear, .added = 2},
    {.name = "vllm::rocm_unquantized_gemm", .rule = Linear, .added = 2},
    {.name = "aten::matmul", .rule = Matmul},
    {.name = "aten::mv", .rule = MatrixVector},
    {.name = "aten::addmv", .rule = MatrixVector, .a = 1, .b = 2, .added = 0, .beta = 3},
    {.name = "aten::dot", .rule = Dot},
    {.name = "aten::vdot", .rule = Dot},
    {.name = "aten::_scaled_mm", .rule = ScaledProduct},
    {.name = "aten::_scaled_mm_v2", .rule = ScaledProduct},
    {.name = "aten::_grouped_mm", .rule = GroupedProduct},
    {.name = "aten::_scaled_grouped_mm", .rule = GroupedProduct},
    {.name = "aten::_sparse_semi_structured_mm", .rule = SparseProduct, .a = 0, .b = 2},
    {.name = "aten::_sparse_semi_structured_addmm", .rule = SparseProduct, .a = 1, .b = 3, .added = 0},
    {.name = "aten::_cslt_sparse_mm", .rule = SparseProduct, .a = 0, .b = 1},
    {.name = "aten::_sparse_semi_structured_linear", .rule = SparseLinear},

    {.name = "aten::conv1d", .rule = Convolution, .added = 2, .stride = 3, .padding = 4, .dilation = 5, .groups = 6},
    {.name = "aten::conv2d", .rule = Convolution, .added = 2, .stride = 3, .padding = 4, .dilation = 5, .groups = 6},
    {.name = "aten::conv3d", .rule = Convolution, .added = 2, .stride = 3, .padding = 4, .dilation = 5, .groups = 6},
    {.name = "aten::convolution", .rule = Convolution, .added = 2, .stride = 3, .padding = 4, .dilation = 5,
     .transposed = 6, .output_padding = 7, .groups = 8},
    {.name = "aten::_convolution", .rule = Convolution, .added = 2, .stride = 3, .padding = 4, .dilation = 5,
     .transposed = 6, .output_padding = 7, .groups = 8},
    {.name = "aten::convolution_overrideable", .rule = Convolution, .added = 2, .stride = 3, .padding = 4,
     .dilation = 5, .transposed = 6, .output_padding = 7, .groups = 8},
    {.name = "aten::cudnn_convolution", .rule = Convolution, .stride = 3, .padding = 2, .dilation = 4, .groups = 5},
    {.name = "aten::miopen_convolution", .rule = Convolution, .added = 2, .stride = 4, .padding = 3, .dilation = 5,
     .groups = 6},
    {.name = "aten::mkldnn_convolution", .rule = Convolution, .added = 2, .stride = 4, .padding = 3, .dilation = 5,
     .groups = 6},
    {.name = "aten::conv_transpose1d", .rule = Convolution, .added = 2, .stride = 3, .padding = 4, .dilation = 7,
     .output_padding = 5, .groups = 6, .is_transposed = true},
    {.name = "aten::conv_transpose2d", .rule = Convolution, .added = 2, .stride = 3, .padding = 4, .dilation = 7,
     .output_padding = 5, .groups = 6, .is_transposed = true},
    {.name = "aten::conv_transpose3d", .rule = Convolution, .added = 2, .stride = 3, .padding = 4, .dilation = 7,
     .output_padding = 5, .groups = 6, .is_transposed = true},
    {.name = "aten::cudnn_convolution_transpose", .rule = Convolution, .stride = 4, .padding = 2, .dilation = 5,
     .output_padding = 3, .groups = 6, .is_transposed = true},
    {.name = "aten::miopen_convolution_transpose", .rule = Convolution, .added = 2, .stride = 5, .padding = 3,
     .dilation = 6, .output_padding = 4, .groups = 7, .is_transposed = true},
    {.name = "aten::convolution_backward", .rule = ConvolutionBackward, .a = 0, .b = 2, .transposed = 7, .mask = 10,
     .x = 1},
    {.name = "aten::convolution_backward_overrideable", .rule = ConvolutionBackward, .a = 0, .b = 2, .transposed = 6,
     .mask = 9, .x = 1},
    {.name = "aten::cudnn_convolution_backward", .rule = ConvolutionBackward, .a = 1, .b = 2, .mask = 10, .x = 0},
    {.name = "aten::miopen_convolution_backward", .rule = ConvolutionBackward, .a = 1, .b = 2, .mask = 10, .x = 0},
    {.name = "aten::cudnn_convolution_backward_input", .rule = ConvolutionInputGradient, .a = 1, .b = 2},
    {.name = "aten::miopen_convolution_backward_input", .rule = ConvolutionInputGradient, .a = 1, .b = 2},
    {.name = "aten::cudnn_convolution_backward_weight", .rule = ConvolutionWeightGradient, .a = 1, .b = 0},
    {.name = "aten::miopen_convolution_backward_weight", .rule = ConvolutionWeightGradient, .a = 1, .b = 0},

    {.name = "aten::scaled_dot_product_attention", .rule = Attention, .heads_first = true, .causal = 5},
    {.name = "aten::_scaled_dot_product_flash_attention", .rule = Attention, .heads_first = true, .causal = 4},
    {.name = "aten::_scaled_dot_product_flash_attention_for_cpu", .rule = Attention, .heads_first = true, .causal = 4},
    {.name = "aten::_scaled_dot_product_efficient_attention", .rule = Attention, .heads_first = true, .causal = 6},
    {.name = "aten::_scaled_dot_product_cudnn_attention", .rule = Attention, .heads_first = true, .causal = 6},
    {.name = "aten::_scaled_dot_product_fused_attention_overrideable", .rule = Attention, .heads_first = true,
     .causal = 5},
    {.name = "aten::_flash_attention_forward", .rule = Attention, .causal = 8, .window_left = 11, .window_right = 12,
     .sequences = 3},
    {.name = "aten::_efficient_attention_forward", .rule = Attention, .causal = 9, .window_left = 13, .sequences = 4,
     .corner = ByValue},
    {.name = "flash_attn::_flash_attn_forward", .rule = Attention, .causal = 5, .window_left = 6, .window_right = 7,
     .corner = BottomRight},
    {.name = "flash_attn::_flash_attn_varlen_forward", .rule = Attention, .causal = 9, .window_left = 10,
     .window_right = 11, .sequences = 3, .corner = BottomRight},
    {.name = "flash_attn_3::fwd", .rule = Attention, .causal = 24, .window_left = 25, .window_right = 26,
     .sequences = 7, .pages = 14, .corner = BottomRight},
    {.name = "aiter::_flash_attn_forward", .rule = Attention, .causal = 5, .window_left = 6, .window_right = 7,
     .corner = BottomRight},
    {.name = "aten::_scaled_dot_product_flash_attention_backward", .rule = AttentionBackward, .a = 1,
     .heads_first = true, .causal = 11, .sequences = 6},
    {.name = "aten::_scaled_dot_product_efficient_attention_backward", .rule = AttentionBackward, .a = 1,
     .heads_first = true, .causal = 11},
    {.name = "aten::_scaled_dot_product_cudnn_attention_backward", .rule = AttentionBackward, .a = 1,
     .heads_first = true, .causal = 14, .sequences = 9},
    {.name = "aten::_scaled_dot_product_fused_attention_overrideable_backward", .rule = AttentionBackward, .a = 1,
     .heads_first = true, .causal = 13, .sequences = 8},
    {.name = "aten::_flash_attention_backward", .rule = AttentionBackward, .a = 1, .causal = 11, .window_left = 15,
     .window_right = 16, .sequences = 6},
    {.name = "aten::_efficient_attention_backward", .rule = AttentionBackward, .a = 1, .causal = 14, .window_left = 18,
     .sequences = 6, .corner = ByValue},
    {.name = "flash_attn::_flash_attn_backward", .rule = AttentionBackward, .a = 1, .causal = 11, .causal_else = 10,
     .corner = BottomRight},
    {.name = "flash_attn::_flash_attn_varlen_backward", .rule = AttentionBackward, .a = 1, .causal = 15,
     .sequences = 9, .corner = BottomRight},

    {.name = "aiter::mha_batch_prefill*", .rule = Opaque},
    {.name = "aiter::paged_attention*", .rule = Opaque},
    {.name = "aiter::fmoe*", .rule = Opaque},
    {.name = "aiter::fused_moe*", .rule = Opaque},
    {.name = "vllm::unified_attention*", .rule = Opaque},
    {.name = "vllm::unified_mla_attention*", .rule = Opaque},
    {.name = "vllm::moe_forward*", .rule = Opaque},
    {.name = "vllm::inplace_fused_experts", .rule = Opaque},
    {.name = "vllm::outplace_fused_experts", .rule = Opaque},
    {.name = "aten::_cudnn_rnn", .rule = Opaque},
    {.name = "aten::_cudnn_rnn_backward", .rule = Opaque},
    {.name = "aten::miopen_rnn", .rule = Opaque},
    {.name = "aten::miopen_rnn_backward", .rule = Opaque},
    {.name = "aten::_sparse_mm", .rule = Opaque},
    {.name = "aten::_sparse_addmm", .rule = Opaque},
    {.name = "aten::sparse_sampled_addmm", .rule = Opaque},
};
// clang-format on
}  // namespace table

// In-place and .out spellings have the row of the plain name.
std::string_view plain_name(std::string_view name) {
    if (name.ends_with(".out")) name.remove_suffix(4);
    if (name.ends_with("_out")) name.remove_suffix(4);
    if (name.ends_with('_')) name.remove_suffix(1);
    return name;
}

constexpr std::string_view kRuleNames[] = {"product",
                                           "product-over-batch",
                                           "linear",
                                           "matmul",
                                           "matrix-vector",
                                           "dot",
                                           "scaled-product",
                                           "grouped-product",
                                           "sparse-product",
                                           "sparse-linear",
                                           "convolution",
                                           "convolution-backward",
                                           "convolution-input-gradient",
                                           "convolution-weight-gradient",
                                           "attention",
                                           "attention-backward",
                                           "opaque"};
static_assert(std::size(kRuleNames) == static_cast<std::size_t>(FlopRule::Opaque) + 1);
constexpr std::string_view kCornerNames[] = {"top-left", "bottom-right", "by-value"};
constexpr std::pair<std::string_view, int OperatorRow::*> kPositions[] = {
    {"a", &OperatorRow::a},
    {"b", &OperatorRow::b},
    {"added", &OperatorRow::added},
    {"beta", &OperatorRow::beta},
    {"stride", &OperatorRow::stride},
    {"padding", &OperatorRow::padding},
    {"dilation", &OperatorRow::dilation},
    {"transposed", &OperatorRow::transposed},
    {"output_padding", &OperatorRow::output_padding},
    {"groups", &OperatorRow::groups},
    {"mask", &OperatorRow::mask},
    {"x", &OperatorRow::x},
    {"causal", &OperatorRow::causal},
    {"causal_else", &OperatorRow::causal_else},
    {"window_left", &OperatorRow::window_left},
    {"window_right", &OperatorRow::window_right},
    {"sequences", &OperatorRow::sequences},
    {"pages", &OperatorRow::pages}};
constexpr std::pair<std::string_view, bool OperatorRow::*> kFlags[] = {{"is_transposed", &OperatorRow::is_transposed},
                                                                       {"heads_first", &OperatorRow::heads_first}};
constexpr std::int64_t kMostPosition = 63;
constexpr std::size_t kMostShownName = 60;

// The user's rows. Sets are never changed and never freed, so rows that were found stay.
struct UserRows {
    std::deque<std::string> names;
    std::deque<OperatorRow> rows;
    const OperatorRow* find(std::string_view plain) const {
        const OperatorRow* found = nullptr;
        for (const OperatorRow& row : rows) {
            const bool is_start = row.name.ends_with('*');
            if (is_start ? plain.starts_with(row.name.substr(0, row.name.size() - 1)) : plain == row.name) found = &row;
        }
        return found;
    }
};

struct UserRowSets {
    std::mutex mutex;
    std::vector<std::unique_ptr<const UserRows>> all;
    std::atomic<const UserRows*> current{nullptr};
};

UserRowSets& user_rows() {
    static UserRowSets sets;
    return sets;
}

void use_rows(std::unique_ptr<const UserRows> rows) {
    UserRowSets& sets = user_rows();
    const std::lock_guard lock(sets.mutex);
    sets.current = rows.get();
    sets.all.push_back(std::move(rows));
}

template <class Names>
std::optional<std::size_t> find_name(const Names& names, const nlohmann::json& value) {
    if (!value.is_string()) return std::nullopt;
    const auto found = std::ranges::find(names, value.get<std::string>());
    if (found == std::end(names)) return std::nullopt;
    return static_cast<std::size_t>(found - std::begin(names));
}

// Sets one field of a row; false: there is none of this name, or it cannot have this value.
bool set_field(OperatorRow& row, const std::string& field, const nlohmann::json& value) {
    if (field == "rule") {
        const std::optional<std::size_t> rule = find_name(kRuleNames, value);
        if (rule) row.rule = static_cast<FlopRule>(*rule);
        return rule.has_value();
    }
    if (field == "corner") {
        const std::optional<std::size_t> corner = find_name(kCornerNames, value);
        if (corner) row.corner = static_cast<MaskCorner>(*corner);
        return corner.has_value();
    }
    for (const auto& [name, flag] : kFlags) {
        if (field != name) continue;
        if (value.is_boolean()) row.*flag = value.get<bool>();
        return value.is_boolean();
    }
    for (const auto& [name, position] : kPositions) {
        if (field != name) continue;
        if (!value.is_number_integer() || value < -1 || value > kMostPosition) return false;
        row.*position = value.get<int>();
        return true;
    }
    return false;
}

}  // namespace

std::optional<Error> add_operator_rows(std::string_view json) {
    const Result<nlohmann::json> parsed = parse_small_json(json, {.depth = 4, .comments = true});
    if (!parsed) return parsed.error();
    constexpr std::string_view kForm = R"({"my::gemm": {"rule": "product", "a": 1, "b": 2}})";
    const auto refuse = [&](const std::string& what) {
        return Error{ErrorCode::BadInput, what + ": give operators like " + std::string(kForm)};
    };
    if (!parsed->is_object()) return refuse("not a JSON object");
    auto made = std::make_unique<UserRows>();
    if (const UserRows* const before = user_rows().current) *made = {.names = {}, .rows = before->rows};
    for (const auto& [name, fields] : parsed->items()) {
        const std::string shown = "'" + name.substr(0, kMostShownName) + "'";
        if (name.empty() || !fields.is_object() || !fields.contains("rule")) return refuse(shown + " has no rule");
        OperatorRow row{.name = made->names.emplace_back(plain_name(name)), .rule = FlopRule::Opaque};
        for (const auto& [field, value] : fields.items())
            if (!set_field(row, field, value))
                return refuse(shown + ": '" + field.substr(0, kMostShownName) + "' is no field, or has no such value");
        made->rows.push_back(row);
    }
    use_rows(std::move(made));
    return std::nullopt;
}

void forget_operator_rows() { use_rows(std::make_unique<const UserRows>()); }

const OperatorRow* find_operator_row(std::string_view name) {
    static const std::unordered_map<std::string_view, const OperatorRow*> kByName = [] {
        std::unordered_map<std::string_view, const OperatorRow*> by_name;
        for (const OperatorRow& row : table::kRows)
            if (!row.name.ends_with('*')) by_name.emplace(row.name, &row);
        return by_name;
    }();
    if (const UserRows* const own = user_rows().current)
        if (const OperatorRow* const row = own->find(plain_name(name))) return row;
    if (const auto found = kByName.find(plain_name(name)); found != kByName.end()) return found->second;
    for (const OperatorRow& row : table::kRows)
        if (row.name.ends_with('*') && name.starts_with(row.name.substr(0, row.name.size() - 1))) return &row;
    return nullptr;
}

}  // namespace core
