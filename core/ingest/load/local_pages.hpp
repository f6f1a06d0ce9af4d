#pragma once
// Index files on this machine that belong to the ranks of a run summary.

#include "core/index/rank_pages.hpp"
#include "core/index/run.hpp"

#include <filesystem>
#include <memory>

namespace core {

// Those in the summary's folder and below it, else where they are kept for the trace itself. Looked for when the first
// rank is fetched: O(files there).
std::shared_ptr<const RankPages> pages_beside(const std::filesystem::path& summary);

// A rank of a summary, whole. BadInput: what was fetched is not the index file of the trace that the rank was made of,
// as it was then; NotFound, Io: as RankPages::fetch and open_index_file have them. Any thread; for the pool.
struct WholeRank {
    RankIndexPtr index;
    std::uint64_t bytes = 0;  // of its index file
};
Result<WholeRank> open_whole_rank(const RankSlot& thin, const RankPages&, const ClassRules&, const JobContext&);

}  // namespace core
