#pragma once
// Finds the ranks of the job that wrote logs, or that traces of NCCL are of. NCCL knows ranks within communicators
// only: the rank in the largest one is that of the job if the job has as many ranks; else a trace whose process wrote
// the log tells it.

#include "core/index/run.hpp"
#include "core/ingest/load/identify_ranks.hpp"

#include <vector>

namespace core {

// Logs and other sources of NCCL beside traces take the numbers that those have, and the ones without events become
// companions, no ranks of their own. `claims`: one per rank, as they stay.
void place_logs(RunParts& parts, std::vector<RankClaim>& claims);

}  // namespace core
