#pragma once
// Means in whole nanoseconds that add up to the rounded mean of the whole.

#include "core/analysis/engine/rounding.hpp"

#include <cstdint>
#include <vector>

namespace core {

// sums[i] / count, truncated; the missing nanoseconds go, one each, to the largest remainders (ties: the first).
std::vector<std::int64_t> apportion_means(const std::vector<Wide>& sums, std::int64_t count);

}  // namespace core
