#pragma once
// For each interval, the shortest of some others that overlaps it. O((n + m) log n).

#include "core/base/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

inline constexpr std::uint32_t kNoOverlap = 0xFFFFFFFFu;

// Positions into `candidates`, one per interval; kNoOverlap where none overlaps. Of equally short ones the later
// start counts, then the later position. `intervals` must rise by start; one of no length lies where it begins.
// A candidate of no length overlaps nothing.
std::vector<std::uint32_t> find_shortest_overlaps(std::span<const RankRange> intervals,
                                                  std::span<const RankRange> candidates);

}  // namespace core
