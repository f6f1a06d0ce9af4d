#pragma once
// Adjusted p values of many tests at once, in the order of the given ones.

#include <span>
#include <vector>

namespace core::stats {

// Below 0.05: with 95 % probability none of such rows is a false alarm (Holm).
std::vector<double> adjust_holm(std::span<const double> p);
// Below 0.05: on average at most 5 % of such rows are false alarms (Benjamini and Hochberg).
std::vector<double> adjust_benjamini_hochberg(std::span<const double> p);

}  // namespace core::stats
