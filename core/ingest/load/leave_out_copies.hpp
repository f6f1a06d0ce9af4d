#pragma once
// Leaves out files that are copies of another file of the same rank, event for event: "rank0 (copy).json" would count
// every sum of the rank twice.

#include "core/ingest/load/identify_ranks.hpp"

#include <vector>

namespace core {

// The first in the order of names stays. `claims`: one per rank, as they stay. O(ranks), and O(events) of those that
// look alike.
void leave_out_copies(RunParts& parts, std::vector<RankClaim>& claims);
// Leaves out processes without GPU work whose number lies beyond the world that the ranks state. O(ranks).
void leave_out_strangers(RunParts& parts, std::vector<RankClaim>& claims);

}  // namespace core
