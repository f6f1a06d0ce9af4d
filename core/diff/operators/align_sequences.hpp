#pragma once
// Longest common subsequence of two sequences of symbols, for hundreds of thousands of items. Knows nothing of traces.
// Threads: a pure function.

#include "core/base/jobs.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

// Items with equal symbols may be matched; ids are dense, from 0. Equal details and equal places break ties.
struct OperatorItem {
    std::uint32_t symbol = 0;
    std::uint32_t detail = 0;
    std::uint32_t place = 0;
    bool operator==(const OperatorItem&) const = default;
};

struct MatchedItems {
    std::uint32_t baseline = 0;  // positions
    std::uint32_t candidate = 0;
    bool operator==(const MatchedItems&) const = default;
};

// As many pairs of equal symbols as possible, rising on both sides. Among those, as many with equal details as
// possible, then with equal places: exact where the differing middle has at most kWeighedPairs pairs of items, beyond
// that within pieces of this size. O(n·m / 64) time for the differing middles, O(n + m) memory. Fails only if
// cancelled.
Result<std::vector<MatchedItems>> align_sequences(std::span<const OperatorItem> baseline,
                                                  std::span<const OperatorItem> candidate, const JobContext&);

inline constexpr std::size_t kWeighedPairs = 1 << 18;

}  // namespace core
