#pragma once
// How analyses round: quotients of nanoseconds half up to whole nanoseconds, shares as doubles. Sums are
// wide, so that no number of absurd durations overflows them; what does not fit a cell is cut.

#include "core/analysis/table.hpp"

#include <algorithm>
#include <limits>

namespace core {

__extension__ using Wide = __int128;

inline std::int64_t clamped(Wide value) {
    constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
    constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(std::clamp(value, kLeast, kMost));
}

// sum / count, half up; count > 0, sum >= 0.
inline std::int64_t rounded_mean(Wide sum, std::int64_t count) {
    return clamped((2 * sum + count) / (2 * Wide{count}));
}

// part / whole, absent when there is no whole.
inline Cell ratio_cell(Wide part, Wide whole) {
    if (whole == 0) return {};
    return static_cast<double>(part) / static_cast<double>(whole);
}
inline Cell ratio_cell(Duration part, Duration whole) { return ratio_cell(Wide{part.count()}, Wide{whole.count()}); }

}  // namespace core
