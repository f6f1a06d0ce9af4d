#include "core/analysis/time/step_windows.hpp"

#include "core/analysis/engine/data_loading.hpp"
#include "core/base/group_equal.hpp"

#include <algorithm>

namespace core {

std::vector<StepWindow> collect_step_windows(const RankView& view) {
    std::vector<std::int64_t> numbers;
    std::vector<RankRange> ranges;
    for (const Step& step : view.selection->steps()) {
        RankRange range = step.range;
        if (view.time) range = {std::max(range.begin, view.time->begin), std::min(range.end, view.time->end)};
        if (range.end < range.begin || (view.time && range.empty())) continue;
        numbers.push_back(step.number);
        ranges.push_back(range);
    }
    std::vector<StepWindow> windows;
    for (const std::vector<std::size_t>& places : group_equal(std::span<const std::int64_t>(numbers))) {
        std::vector<RankRange> parts;
        for (const std::size_t place : places) parts.push_back(ranges[place]);
        windows.push_back({.number = numbers[places.front()], .ranges = merge_ranges(std::move(parts))});
    }
    return windows;
}

ClassTimes times_in(const ClassPartition& partition, std::span<const RankRange> disjoint) {
    ClassTimes sum;
    for (const RankRange& range : disjoint) {
        const ClassTimes part = partition.times(range);
        for (std::size_t set = 0; set < kClassSets; ++set) sum.by_set[set] += part.by_set[set];
    }
    return sum;
}

std::vector<RankRange> collect_data_loading(const RankTrace& trace) {
    std::vector<bool> loads(trace.names.size());
    for (std::uint32_t name = 0; name < loads.size(); ++name) loads[name] = is_data_loading(trace.text(NameId{name}));
    std::vector<RankRange> ranges;
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        if (!loads[index_of(trace.name[e])]) continue;
        const Category category = trace.category_kind(EventId{e});
        if (category == Category::CpuOp || category == Category::UserAnnotation)
            ranges.push_back(trace.range(EventId{e}));
    }
    return merge_ranges(std::move(ranges));
}

RankRange hull_of(std::span<const StepWindow> windows) {
    RankRange hull{};
    bool any = false;
    for (const StepWindow& window : windows) {
        for (const RankRange& range : window.ranges) {
            hull = any ? RankRange{std::min(hull.begin, range.begin), std::max(hull.end, range.end)} : range;
            any = true;
        }
    }
    return hull;
}

}  // namespace core
