#include "core/analysis/efficiency/operator_work.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::int64_t kMostWindowedQueries = std::int64_t{1} << 24;  // counted one by one

struct Heads {  // of one of q, k, v
    std::int64_t batch, sequence, heads, depth;
};

std::optional<Heads> heads_of(const TensorSizes& sizes, bool heads_first, bool packed) {
    if (packed && sizes.size() == 3)
        return Heads{.batch = 1, .sequence = sizes[0], .heads = sizes[1], .depth = sizes[2]};
    if (sizes.size() != 4) return std::nullopt;
    return heads_first ? Heads{.batch = sizes[0], .sequence = sizes[2], .heads = sizes[1], .depth = sizes[3]}
                       : Heads{.batch = sizes[0], .sequence = sizes[1], .heads = sizes[2], .depth = sizes[3]};
}

enum class Mask : std::uint8_t { None, TopLeft, BottomRight };

// Twice the pairs of a query and a key that attend.
std::optional<ExactCount> twice_pairs(std::int64_t queries, std::int64_t keys, Mask mask) {
    const ExactCount q = queries, k = keys;
    const std::int64_t more = keys - queries;
    if (mask == Mask::None) return q * k * 2;
    if (more == 0) return q * q;
    if (mask == Mask::TopLeft) return more > 0 ? q * q : k * k + ExactCount(-more) * k * 2;
    return more > 0 ? ExactCount(more) * q * 2 + q * q : k * k;
}

struct Window {
    std::int64_t left = -1, right = -1;  // -1: no limit
};

// The same within a window around the diagonal, query by query.
std::optional<ExactCount> twice_pairs(std::int64_t queries, std::int64_t keys, Mask mask, const Window& window) {
    if (queries > kMostWindowedQueries) return std::nullopt;
    const std::int64_t shift = mask == Mask::TopLeft ? 0 : keys - queries;
    ExactCount pairs = 0;
    for (std::int64_t query = 0; query < queries; ++query) {
        const std::int64_t diagonal = query + shift;
        std::int64_t last = keys - 1, first = 0;
        if (mask != Mask::None)
            last = std::min(last, diagonal);
        else if (window.right >= 0 && window.right < keys)
            last = std::min(last, diagonal + window.right);
        if (window.left >= 0 && window.left < keys) first = std::max(first, diagonal - window.left);
        if (last >= first) pairs += last - first + 1;
    }
    return pairs * 2;
}

// Absent if the arguments do not say whether a causal mask was used.
std::optional<Mask> mask_of(const OperatorRow& row, const OperatorArguments& arguments) {
    if (row.corner == MaskCorner::ByValue) {
        const std::optional<std::int64_t> number = arguments.find_integer(row.causal);
        if (!number || *number < 0 || *number > 2) return std::nullopt;
        return static_cast<Mask>(*number);
    }
    std::optional<bool> causal = arguments.find_flag(row.causal);
    if (!causal) causal = arguments.find_flag(row.causal_else);
    if (!causal) return std::nullopt;
    if (!*causal) return Mask::None;
    return row.corner == MaskCorner::BottomRight ? Mask::BottomRight : Mask::TopLeft;
}

std::optional<std::int64_t> bytes_of_attention(const OperatorRow& row, const OperatorArguments& arguments,
                                               const Heads& q, const Heads& v) {
    ExactCount bytes = 0;
    for (int i = 0; i < 3; ++i) {
        const std::optional<ExactCount> one = bytes_of(*arguments.find_tensor(row.a + i));
        if (!one) return std::nullopt;
        bytes += *one;
    }
    const std::int64_t element = bytes_of_element(arguments.find_tensor(row.a)->type).value_or(0);
    const ExactCount written = ExactCount(q.batch) * q.sequence * q.heads * v.depth * (element == 1 ? 2 : element);
    if (row.rule == FlopRule::AttentionBackward) return (bytes * 2 + written * 2).value();
    return (bytes + written).value();
}

}  // namespace

std::optional<OperatorWork> evaluate_attention(const OperatorRow& row, const OperatorArguments& arguments) {
    const OperatorArgument* const q_tensor = arguments.find_tensor(row.a);
    const OperatorArgument* const k_tensor = arguments.find_tensor(row.a + 1);
    const OperatorArgument* const v_tensor = arguments.find_tensor(row.a + 2);
    if (q_tensor == nullptr || k_tensor == nullptr || v_tensor == nullptr) return std::nullopt;
    if (arguments.find_tensor(row.pages) != nullptr) return std::nullopt;
    const OperatorArgument* const lengths = arguments.find_tensor(row.sequences);
    const bool packed = lengths != nullptr && !lengths->sizes.empty();
    const std::optional<Heads> q = heads_of(q_tensor->sizes, row.heads_first, packed);
    const std::optional<Heads> k = heads_of(k_tensor->sizes, row.heads_first, packed);
    const std::optional<Heads> v = heads_of(v_tensor->sizes, row.heads_first, packed);
    const std::optional<Mask> mask = mask_of(row, arguments);
    if (!q || !k || !v || !mask || k->depth != q->depth || k->sequence != v->sequence) return std::nullopt;

    OperatorWork work;
    work.precision = precision_of(q_tensor->type);
    std::optional<ExactCount> pairs;
    if (packed) {  // equal lengths have the fewest pairs; the lengths are not in the arguments
        const std::int64_t sequences = lengths->sizes[0] - 1;
        const std::optional<std::int64_t> all = (ExactCount(q->sequence) * k->sequence * 2).value();
        if (sequences < 1 || !all) return std::nullopt;
        pairs = *all / sequences / (*mask == Mask::None ? 1 : 2);
        work.estimated = true;
    } else {
        const Window window{arguments.find_integer(row.window_left).value_or(-1),
                            arguments.find_integer(row.window_right).value_or(-1)};
        const bool limited = window.left >= 0 || (window.right >= 0 && *mask == Mask::None);
        pairs = limited ? twice_pairs(q->sequence, k->sequence, *mask, window)
                        : twice_pairs(q->sequence, k->sequence, *mask);
    }
    if (!pairs) return std::nullopt;
    const ExactCount times = ExactCount(q->batch) * q->heads * *pairs;
    const bool backward = row.rule == FlopRule::AttentionBackward;
    const ExactCount depth = ExactCount(q->depth) + v->depth;
    const std::optional<std::int64_t> flop =
        (times * (backward ? ExactCount(q->depth) * 3 + ExactCount(v->depth) * 2 : depth)).value();
    const std::optional<std::int64_t> model_flop = (times * depth * (backward ? 2 : 1)).value();
    if (!flop || !model_flop) return std::nullopt;
    work.flop = *flop;
    work.model_flop = *model_flop;
    work.bytes = bytes_of_attention(row, arguments, *q, *v);
    return work;
}

}  // namespace core
