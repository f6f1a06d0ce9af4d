#include "core/analysis/efficiency/moving_table.hpp"

#include <unordered_map>

namespace core {
namespace {

namespace moving {
using enum MoveRule;

// clang-format off
constexpr MovingRow kRows[] = {
    {"add", Elementwise},
    {"sub", Elementwise},
    {"rsub", Elementwise},
    {"mul", Elementwise},
    {"div", Elementwise},
    {"neg", Elementwise},
    {"abs", Elementwise},
    {"exp", Elementwise},
    {"log", Elementwise},
    {"sqrt", Elementwise},
    {"rsqrt", Elementwise},
    {"pow", Elementwise},
    {"reciprocal", Elementwise},
    {"sin", Elementwise},
    {"cos", Elementwise},
    {"tanh", Elementwise},
    {"sigmoid", Elementwise},
    {"relu", Elementwise},
    {"gelu", Elementwise},
    {"silu", Elementwise},
    {"clamp", Elementwise},
    {"clamp_min", Elementwise},
    {"clamp_max", Elementwise},
    {"where", Elementwise},
    {"masked_fill", Elementwise},
    {"eq", Comparison},
    {"ne", Comparison},
    {"lt", Comparison},
    {"le", Comparison},
    {"gt", Comparison},
    {"ge", Comparison},
    {"logical_and", Comparison},
    {"logical_or", Comparison},
    {"logical_not", Comparison},
    {"bitwise_and", Elementwise},
    {"bitwise_or", Elementwise},
    {"bitwise_not", Elementwise},
    {"maximum", Elementwise},
    {"minimum", Elementwise},
    {"addcmul", Elementwise},
    {"addcdiv", Elementwise},
    {"lerp", Elementwise},
    {"threshold", Elementwise},
    {"threshold_backward", Elementwise},
    {"tanh_backward", Elementwise},
    {"sigmoid_backward", Elementwise},
    {"gelu_backward", Elementwise},
    {"silu_backward", Elementwise},
    {"copy", Copy, 0, 1},
    {"fill", Fill},
    {"zero", Fill},
    {"cat", Concatenate},
    {"_cat", Concatenate},
    {"stack", Concatenate},
    {"index_select", Select, 0, 1, 2},
    {"gather", Gather, 0, 1, 2},
    {"sum", Reduce, 0, 1, 2},
    {"mean", Reduce, 0, 1, 2},
    {"max", Reduce, 0, 1, 2},
    {"min", Reduce, 0, 1, 2},
    {"amax", Reduce, 0, 1, 2},
    {"amin", Reduce, 0, 1, 2},
    {"argmax", ReduceToIndex, 0, 1, 2},
    {"linalg_norm", Reduce, 0, 2, 3},
    {"linalg_vector_norm", Reduce, 0, 2, 3},
    {"norm", Reduce, 0, 2, 3},
    {"softmax", Softmax},
    {"_softmax", Softmax},
    {"log_softmax", Softmax},
    {"_log_softmax", Softmax},
    {"_softmax_backward_data", SoftmaxBackward},
    {"_log_softmax_backward_data", SoftmaxBackward},
    {"layer_norm", Norm, 0, 2, 3},
    {"native_layer_norm", Norm, 0, 2, 3},
    {"native_layer_norm_backward", NormBackward, 1, 5, 6},
    {"group_norm", Norm, 0, 2, 3},
    {"native_group_norm", Norm, 0, 1, 2},
    {"native_group_norm_backward", NormBackward, 1, 4, 4},
    {"rms_norm", Norm, 0, 2, 2},
    {"_fused_rms_norm", Norm, 0, 2, 2},
    {"_fused_rms_norm_backward", NormBackward, 1, 4, 4},
    {"batch_norm", Norm, 0, 1, 4},
    {"native_batch_norm", Norm, 0, 1, 4},
    {"native_batch_norm_backward", NormBackward, 1, 2, 2},
    {"cudnn_batch_norm", Norm, 0, 1, 4},
    {"cudnn_batch_norm_backward", NormBackward, 0, 2, 2},
    {"miopen_batch_norm", Norm, 0, 1, 4},
    {"miopen_batch_norm_backward", NormBackward, 0, 2, 2},
    {"embedding", Embedding, 0, 1},
    {"embedding_dense_backward", EmbeddingBackward, 0, 1, 2},
    {"embedding_bag", EmbeddingBag, 0, 1, 2},
    {"_embedding_bag", EmbeddingBag, 0, 1, 2},
    {"nll_loss_forward", Loss, 0, 1},
    {"nll_loss_backward", LossBackward, 1, 2},
    {"cross_entropy_loss", Unknown},
    {"dropout", Dropout},
    {"native_dropout", Dropout},
    {"native_dropout_backward", DropoutBackward, 0},
    {"bernoulli", Elementwise},
    {"_foreach_*", Lists},
    {"_fused_adam*", Optimizer},
};
// clang-format on
}  // namespace moving

constexpr std::string_view kPrefix = "aten::";

std::string_view without_spelling(std::string_view name) {
    if (name.ends_with(".out")) name.remove_suffix(4);
    if (name.ends_with("_out")) name.remove_suffix(4);
    if (name.ends_with('_')) name.remove_suffix(1);
    return name;
}

}  // namespace

const MovingRow* find_moving_row(std::string_view name) {
    static const std::unordered_map<std::string_view, const MovingRow*> kByName = [] {
        std::unordered_map<std::string_view, const MovingRow*> by_name;
        for (const MovingRow& row : moving::kRows)
            if (!row.name.ends_with('*')) by_name.emplace(row.name, &row);
        return by_name;
    }();
    if (!name.starts_with(kPrefix)) return nullptr;
    name.remove_prefix(kPrefix.size());
    if (const auto found = kByName.find(without_spelling(name)); found != kByName.end()) return found->second;
    for (const MovingRow& row : moving::kRows)
        if (row.name.ends_with('*') && name.starts_with(row.name.substr(0, row.name.size() - 1))) return &row;
    return nullptr;
}

bool is_in_place(std::string_view name) { return name.ends_with('_') && !name.ends_with("__"); }

bool has_out_argument(std::string_view name) { return name.ends_with(".out") || name.ends_with("_out"); }

}  // namespace core
