#include "core/analysis/time/step_windows.hpp"

#include <algorithm>

namespace core {

std::vector<StepWindow> collect_step_windows(const RankView& view) {
    std::vector<StepWindow> windows;
    for (const Step& step : view.selection->steps()) {
        RankRange range = step.range;
        if (view.time) range = {std::max(range.begin, view.time->begin), std::min(range.end, view.time->end)};
        if (range.end < range.begin || (view.time && range.empty())) continue;
        auto it = std::ranges::find(windows, step.number, &StepWindow::number);
        if (it == windows.end()) it = windows.insert(it, {step.number, {}});
        it->ranges.push_back(range);
    }
    for (StepWindow& window : windows) window.ranges = merge_ranges(std::move(window.ranges));
    return windows;
}

std::vector<RankRange> merge_ranges(std::vector<RankRange> ranges) {
    std::ranges::sort(ranges, {}, &RankRange::begin);
    std::vector<RankRange> merged;
    for (const RankRange& range : ranges) {
        if (merged.empty() || merged.back().end < range.begin)
            merged.push_back(range);
        else
            merged.back().end = std::max(merged.back().end, range.end);
    }
    return merged;
}

ClassTimes times_in(const ClassPartition& partition, std::span<const RankRange> disjoint) {
    ClassTimes sum;
    for (const RankRange& range : disjoint) {
        const ClassTimes part = partition.times(range);
        for (std::size_t set = 0; set < kClassSets; ++set) sum.by_set[set] += part.by_set[set];
    }
    return sum;
}

}  // namespace core
