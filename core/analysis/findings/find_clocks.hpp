#pragma once
// Findings of clocks, errors and links of GPUs, from logs next to the traces and counters in them. They cost no time of
// their own: what they cost is the gain of late-rank.

#include "core/analysis/findings/find_parallel.hpp"

namespace core {

// partials: with the tables of add_members; others are skipped. Ranks whose lateness the clock causes, ranks whose
// clocks are all low, errors and narrow links.
std::vector<FindingOfRank> find_clocks(std::span<const Partial* const> partials, const Run& run);

}  // namespace core
