#include "core/analysis/whatif/run_path.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>

namespace core {
namespace {

class PathReader {
public:
    PathReader(const RunGraph& run, std::span<const std::int64_t> weights) : run_(run), weights_(weights) {}

    RunPath read(const LongestPath& longest) {
        path_.length = longest.length;
        path_.edges = longest.edges;
        slot_ = first_slot(longest);
        std::uint32_t crossed = kNoCollective;
        for (const std::uint32_t e : longest.edges) {
            const GraphEdge& edge = run_.graph.edges[e];
            const std::size_t part = run_.part_of(edge.to);
            if (part < run_.parts.size() && run_.parts[part].slot != slot_) {
                if (crossed != kNoCollective)
                    path_.crossings.push_back(
                        {.collective = crossed, .from = slot_, .to = run_.parts[part].slot, .at = at_});
                slot_ = run_.parts[part].slot;
            }
            crossed = run_.collective_of(edge.to);
            add(edge, weights_[e]);
        }
        return std::move(path_);
    }

private:
    std::uint32_t first_slot(const LongestPath& longest) const {
        for (const std::uint32_t e : longest.edges) {
            const std::size_t part = run_.part_of(run_.graph.edges[e].to);
            if (part < run_.parts.size()) return run_.parts[part].slot;
        }
        return run_.parts.empty() ? 0 : run_.parts.front().slot;
    }

    void add(const GraphEdge& edge, std::int64_t weight) {
        if (weight <= 0) return;
        std::vector<RunStretch>& stretches = path_.stretches;
        const bool same = !stretches.empty() && stretches.back().slot == slot_ &&
                          stretches.back().event == edge.event && stretches.back().bound_by == edge.bound_by;
        if (same)
            stretches.back().length = clamped(Wide{stretches.back().length} + weight);
        else
            stretches.push_back({slot_, edge.event, edge.bound_by, at_, weight});
        at_ = clamped(Wide{at_} + weight);
    }

    const RunGraph& run_;
    std::span<const std::int64_t> weights_;
    RunPath path_;
    std::uint32_t slot_ = 0;
    std::int64_t at_ = 0;
};

}  // namespace

Result<RunPath> find_run_path(const RunGraph& run, std::span<const std::int64_t> weights, const JobContext& context) {
    const Result<LongestPath> longest = find_longest_path(run.graph, weights, run.sink, context);
    if (!longest) return longest.error();
    return PathReader(run, weights).read(*longest);
}

void cut_path(RunPath& path, std::int64_t end) {
    while (!path.stretches.empty() && path.stretches.back().begin >= end) path.stretches.pop_back();
    if (!path.stretches.empty()) {
        RunStretch& last = path.stretches.back();
        last.length = std::min(last.length, end - last.begin);
    }
    std::erase_if(path.crossings, [&](const RunCrossing& crossing) { return crossing.at >= end; });
    path.length = std::min(path.length, end);
}

void cut_path_front(RunPath& path, std::int64_t begin) {
    const auto ends_before = [&](const RunStretch& stretch) { return stretch.begin + stretch.length <= begin; };
    const auto first = std::ranges::find_if_not(path.stretches, ends_before);
    path.stretches.erase(path.stretches.begin(), first);
    if (!path.stretches.empty() && path.stretches.front().begin < begin) {
        path.stretches.front().length -= begin - path.stretches.front().begin;
        path.stretches.front().begin = begin;
    }
    std::erase_if(path.crossings, [&](const RunCrossing& crossing) { return crossing.at < begin; });
}

}  // namespace core
