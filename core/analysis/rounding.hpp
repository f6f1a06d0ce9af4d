#pragma once
// How analyses round: quotients of nanoseconds half up to whole nanoseconds, shares as doubles. Sums are
// wide, so that no number of absurd durations overflows them; what does not fit a cell is cut.

#include "core/analysis/engine/table.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace core {

__extension__ using Wide = __int128;

inline std::int64_t clamped(Wide value) {
    constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
    constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(std::clamp(value, kLeast, kMost));
}

// sum / count, half up; count > 0.
inline std::int64_t rounded_mean(Wide sum, std::int64_t count) {
    const Wide twice = 2 * sum + count;
    const Wide whole = 2 * Wide{count};
    return clamped(twice / whole - (twice % whole < 0 ? 1 : 0));
}

// The middle of the values, of two middles the mean; there is at least one. Reorders them.
inline std::int64_t take_median(std::vector<std::int64_t>& values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return rounded_mean(Wide{*middle} + *std::max_element(values.begin(), middle), 2);
}

inline double take_median(std::vector<double>& values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// part / whole, absent when there is no whole.
inline Cell ratio_cell(Wide part, Wide whole) {
    if (whole == 0) return {};
    return static_cast<double>(part) / static_cast<double>(whole);
}
inline Cell ratio_cell(Duration part, Duration whole) { return ratio_cell(Wide{part.count()}, Wide{whole.count()}); }

}  // namespace core
