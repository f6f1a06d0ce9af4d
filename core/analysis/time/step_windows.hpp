#pragma once
// The steps that a view selects, as ranges to measure: cut to the filter's time range, one entry per
// step number (a number that occurs twice has several ranges), by first start.

#include "core/analysis/engine/analysis.hpp"

#include <span>
#include <vector>

namespace core {

struct StepWindow {
    std::int64_t number;
    std::vector<RankRange> ranges;  // disjoint, rising
};

std::vector<StepWindow> collect_step_windows(const RankView&);
// The union, rising; touching ranges become one.
std::vector<RankRange> merge_ranges(std::vector<RankRange> ranges);
ClassTimes times_in(const ClassPartition&, std::span<const RankRange> disjoint);

}  // namespace core
