#include "core/analysis/parallelism/schedule_bubble.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace core {
namespace {

using Span = std::pair<std::int64_t, std::int64_t>;  // begin, end

struct StageOps {
    std::int64_t stage = 0;
    std::vector<Span> computes, others, waits;
    std::map<std::int64_t, std::int64_t> forwards;  // by chunk
};

std::int64_t total_of_union(std::vector<Span> ranges) {
    std::ranges::sort(ranges);
    std::int64_t total = 0, end = 0;
    bool any = false;
    for (const auto& [begin, last] : ranges) {
        if (last <= begin) continue;
        const std::int64_t from = any ? std::max(begin, end) : begin;
        total += std::max<std::int64_t>(last - from, 0);
        end = any ? std::max(end, last) : last;
        any = true;
    }
    return total;
}

std::vector<Span> joined(std::vector<Span> one, const std::vector<Span>& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

void add_op(const ScheduleOp& op, std::string_view type, StageOps& stage) {
    stage.stage = op.stage;
    if (is_compute_type(type)) {
        stage.computes.emplace_back(op.begin, op.end);
        if (type.starts_with("forward")) ++stage.forwards[op.chunk];
        return;
    }
    // The transfer within an operation is known where its partners are.
    const std::int64_t moves = op.joins ? std::clamp<std::int64_t>(op.end - op.transfer, op.begin, op.end) : op.begin;
    stage.waits.emplace_back(op.begin, moves);
    stage.others.emplace_back(moves, op.end);
}

}  // namespace

std::vector<StageBubble> measure_bubbles(const Schedule& schedule) {
    std::map<std::tuple<std::int64_t, std::int64_t, std::uint32_t>, StageOps> stages;  // step, stage, slot
    std::map<std::int64_t, Span> steps;
    for (const ScheduleOp& op : schedule.ops) {
        add_op(op, schedule.types[op.type], stages[{op.step, op.stage, op.slot}]);
        const auto [whole, is_new] = steps.try_emplace(op.step, op.begin, op.end);
        if (is_new) continue;
        whole->second = {std::min(whole->second.first, op.begin), std::max(whole->second.second, op.end)};
    }
    std::vector<StageBubble> found;
    for (auto& [key, ops] : stages) {
        const auto& [step, stage, slot] = key;
        const auto& [begin, end] = steps.at(step);
        StageBubble one{.slot = slot, .step = step, .stage = stage, .duration = end - begin};
        one.chunks = std::max<std::int64_t>(std::ssize(ops.forwards), 1);
        const auto differs = [&](const auto& chunk) { return chunk.second != ops.forwards.begin()->second; };
        if (!ops.forwards.empty() && std::ranges::none_of(ops.forwards, differs))
            one.microbatches = ops.forwards.begin()->second;
        if (!schedule.overlapping.contains(static_cast<std::int32_t>(stage))) {
            const std::vector<Span> works = joined(ops.computes, ops.others);
            const std::int64_t covered = total_of_union(works);
            const std::int64_t with_waits = total_of_union(joined(works, ops.waits));
            one.parts = {.busy = total_of_union(ops.computes),
                         .receive_wait = with_waits - covered,
                         .idle = one.duration - with_waits};
        }
        found.push_back(one);
    }
    return found;
}

}  // namespace core
