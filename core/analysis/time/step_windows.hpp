#pragma once
// The selected steps of a view as ranges: cut to the filter's time range, one entry per step number
// (a repeated number has several ranges), sorted by first start.

#include "core/analysis/engine/analysis.hpp"
#include "core/base/range_set.hpp"

#include <span>
#include <vector>

namespace core {

// Why parts are absent: see LostLaunches.
inline constexpr std::string_view kRanksWithLostLaunches = "ranks whose parts are unknown: launches have no GPU event";
inline constexpr std::string_view kStepsWithLostLaunches = "steps whose parts are unknown: launches have no GPU event";

struct StepWindow {
    std::int64_t number;
    std::vector<RankRange> ranges;  // disjoint, sorted
};

std::vector<StepWindow> collect_step_windows(const RankView&);
RankRange hull_of(std::span<const StepWindow>);  // first begin to last end; empty without steps
// Times when a CPU thread waits for data: disjoint, sorted. O(events).
std::vector<RankRange> collect_data_loading(const RankTrace&);
ClassTimes times_in(const ClassPartition&, std::span<const RankRange> disjoint);

}  // namespace core
