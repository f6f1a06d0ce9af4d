#pragma once
// Histogram of durations in bins of equal width on a logarithmic axis, with edges rounded to three
// digits: at most a few dozen bins, narrower for a narrow range. Pure.

#include "core/base/units.hpp"

#include <span>
#include <vector>

namespace core {

struct DurationBins {
    std::vector<Duration> edges;      // sorted, one more than bins; half-open; they enclose all durations
    std::vector<std::size_t> counts;
    // The bin of a duration; counts.size() if outside.
    std::size_t find(Duration) const;
    // Position on the logarithmic axis: 0 at the first edge, 1 at the last; may be outside 0..1.
    double place(Duration) const;
    // Round durations between the ends, about this many.
    std::vector<Duration> ticks(std::size_t about) const;
};

DurationBins count_durations(std::span<const Duration>);  // no bins for no durations

}  // namespace core
