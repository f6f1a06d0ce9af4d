#pragma once
// A test of any statistic by reassigning the values to the two samples: all choices where there are few, else a fixed
// pseudo-random series of them, so that the answer is the same everywhere.

#include <cstdint>
#include <functional>
#include <span>

namespace core::stats {

inline constexpr double kMostChoices = 20'000;
inline constexpr std::size_t kRandomChoices = 9'999;

using Statistic = std::function<double(std::span<const double>)>;

struct Permutation {
    double p = 1;  // share of the choices whose difference is at least as large as the observed one
    bool exact = true;
    std::uint64_t choices = 0;
};
// Two-sided p of statistic(candidate) - statistic(baseline). Both samples have values.
Permutation permutation_test(std::span<const double> baseline, std::span<const double> candidate,
                             const Statistic& statistic);

}  // namespace core::stats
