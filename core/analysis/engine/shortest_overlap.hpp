#pragma once
// For each interval, the shortest candidate that overlaps it. O((n + m) log n).

#include "core/base/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

inline constexpr std::uint32_t kNoOverlap = 0xFFFFFFFFu;

// Positions in `candidates`, one per interval; kNoOverlap if none overlaps. Ties: later start, then
// later position. `intervals` must be sorted by start; an interval without length is a point at its
// start. A candidate without length overlaps nothing.
std::vector<std::uint32_t> find_shortest_overlaps(std::span<const RankRange> intervals,
                                                  std::span<const RankRange> candidates);

}  // namespace core
