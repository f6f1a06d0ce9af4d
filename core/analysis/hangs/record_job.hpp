#pragma once
// The flight-recorder dumps of a run as plain records for find_hangs. Of several dumps of one rank the latest counts,
// and none of an older folder.
// Texts point into the traces of the run, which must outlive the job.

#include "core/analysis/hangs/find_hangs.hpp"
#include "core/index/run.hpp"

#include <span>
#include <vector>

namespace core::hangs {

struct RecordedRun {
    RecordedJob job;
    std::vector<std::uint32_t> slots;   // of each rank of the job
    std::uint64_t older_dumps = 0;      // left out
    std::uint64_t without_number = 0;   // calls that their dump doesn't number
    std::uint32_t find_slot(std::int32_t rank) const;  // of a rank of the job; kNoSlot if it isn't there
};
inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;

RecordedRun record_job(const Run& run, std::span<const std::uint32_t> slots);

}  // namespace core::hangs
