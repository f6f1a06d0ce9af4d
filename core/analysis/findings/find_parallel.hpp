#pragma once
// Findings about parallelism: the last gradient bucket, late all-gathers, bubbles
// beyond the schedule's own, uneven experts. Definitions are those of ddp-buckets, fsdp, pipeline and experts.

#include "core/analysis/findings/findings_of_rank.hpp"

#include <span>
#include <vector>

namespace core {

// Tables that find_parallel reads, with the members' one. Fails when cancelled.
Result<bool> add_parallel_tables(const RankView& for_findings, Partial&, const JobContext&);

struct FindingOfRank {
    std::uint32_t slot = 0;
    Finding finding;
};

// However little they gain, by kind and slot; of partials with these tables, others are skipped. Fails when cancelled.
Result<std::vector<FindingOfRank>> find_parallel(std::span<const Partial* const>, const Run&, const JobContext&);

// Share of its transfer that each collective of the matched run keeps if the last buckets were small, or gathers in
// time, by collective: 1 where nothing changes; empty for other kinds.
std::vector<float> transfers_if_mended(FindingKind, std::span<const Partial* const>, const Run&);

}  // namespace core
