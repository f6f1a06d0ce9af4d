#pragma once
// Finds the rank of the job that wrote a log, or that a trace of NCCL is of. NCCL knows ranks within communicators only: the rank in the
// largest one is that of the job if the job has as many ranks; else a trace whose process wrote the log tells it.

#include "core/index/run.hpp"

#include <optional>
#include <span>

namespace core {

// `traces`: the run's other ranks, with their numbers. Absent: undecided.
std::optional<std::int32_t> find_rank_of_log(const RankTrace& source, std::span<const RankSlot> traces);

}  // namespace core
