#pragma once
// Sums a table over its ranks, so runs with different numbers of ranks can be joined.

#include "core/analysis/engine/table.hpp"

namespace core {

// Drops the rank key and merges rows with equal keys, in order of first appearance. Drops info
// columns and measures that don't add up (means, extremes, shares). A cell absent in every rank
// stays absent. O(rows log rows).
Table add_up_ranks(const Table&);

}  // namespace core
