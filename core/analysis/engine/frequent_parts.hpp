#pragma once
// Repeated runs of consecutive items in sequences. Exact; O(items · longest).

#include "core/analysis/engine/rounding.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

struct SequenceItem {
    std::uint32_t name;
    std::int64_t time;
};
using Sequence = std::vector<SequenceItem>;

// First position and count of a part. Occurrences don't overlap: A A occurs once in A A A.
struct FrequentPart {
    std::uint32_t sequence = 0;
    std::uint32_t first = 0;
    std::uint32_t length = 0;
    std::int64_t count = 0;
    Wide time = 0;  // sum over occurrences
};

// Every part of 2 to `longest` items that occurs at least twice; shorter ones first, then by place.
std::vector<FrequentPart> collect_frequent_parts(std::span<const Sequence> sequences, std::uint32_t longest);

}  // namespace core
