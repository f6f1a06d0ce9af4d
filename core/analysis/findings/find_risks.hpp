#pragma once
// Findings without a gain, of one rank: memory that ran out, is nearly full or reserved for nothing, and matrix
// work whose FLOP are unknown. Beyond limits of health (limits.hpp), which are the user's to change.

#include "core/analysis/findings/findings_of_rank.hpp"

namespace core {

// Fails when cancelled.
Result<std::vector<Finding>> find_risks(const RankView& for_findings, const JobContext&);

// Failed allocations of a memory snapshot, one finding per GPU; none of other ranks. Fails when cancelled.
Result<std::vector<Finding>> find_out_of_memory(const RankView& for_findings, const JobContext&);

}  // namespace core
