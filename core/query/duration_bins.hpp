#pragma once
// Durations counted in bins of equal width on a logarithmic axis, whose edges are round to three digits: at most some
// dozens, narrower where the durations lie close together. Pure.

#include "core/base/units.hpp"

#include <span>
#include <vector>

namespace core {

struct DurationBins {
    std::vector<Duration> edges;      // rising, one more than bins; half-open, and all durations lie inside
    std::vector<std::size_t> counts;
    // The bin a duration is in; counts.size() if it lies outside.
    std::size_t find(Duration) const;
    // 0 at the first edge, 1 at the last, as the logarithm has it; beyond them outside of that.
    double place(Duration) const;
    // Round durations between the ends, about this many.
    std::vector<Duration> ticks(std::size_t about) const;
};

DurationBins count_durations(std::span<const Duration>);  // no bins of none

}  // namespace core
