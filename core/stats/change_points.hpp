#pragma once
// Levels of a series of values, one per run in the order of the runs: where it steps, and whether its last value is out
// of its level. Deterministic.

#include "core/stats/welch.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace core::stats {

inline constexpr std::size_t kLeastSeries = 6;  // shorter series have no change points
inline constexpr std::size_t kLeastLevel = 3;  // values on either side of a change point
inline constexpr std::size_t kLongestSeries = 4096;
inline constexpr double kChangePoint = 0.001;  // Welch's p of the two parts is below it

struct ChangePoint {
    std::size_t index = 0;  // the first value of the new level
    double change = 0;  // of the mean, from the part before the point to the one after it
    double q = 0;  // energy distance of the parts, by which the split was chosen
    double p = 1;
    double before = 0;  // mean of the level that ends here: since the change point before
    double after = 0;  // mean of the level that begins here
};

// By the split with the largest energy distance, again in both parts (E-divisive, with Welch's test instead of random
// permutations). Sorted by index. O(n²) per point. A series is at most kLongestSeries long.
std::vector<ChangePoint> find_change_points(std::span<const double> series);

struct Latest {
    double level = 0;  // mean of the level before the last value
    Interval expected;  // where 99 % of such values lie
    bool is_outside = false;
    std::size_t n = 0;  // values of the level
};
// Nothing if the level has fewer than kLeastLevel values before the last one.
std::optional<Latest> judge_latest(std::span<const double> series);

}  // namespace core::stats
