#pragma once
// Index files on this machine that belong to the ranks of a run summary.

#include "core/index/rank_pages.hpp"
#include "core/index/run.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

// Which of these index files is that of a trace, whose path may be of another machine: that of the trace's name which has
// the most folders above it in common. Absent where none has the name, or where several have as many in common.
std::optional<std::size_t> find_index_file(const std::filesystem::path& trace,
                                           std::span<const std::filesystem::path> index_files);

// Those in the summary's folder and below it, else where they are kept for the trace itself. Looked for when the first
// rank is fetched: O(files there).
std::shared_ptr<const RankPages> pages_beside(const std::filesystem::path& summary);

// A rank of a summary, whole. BadInput: what was fetched is not the index file of the trace that the rank was made of, as
// it was then; NotFound, Io: as RankPages::fetch and open_index_file have them. Any thread; for the pool.
struct WholeRank {
    RankIndexPtr index;
    std::uint64_t bytes = 0;  // of its index file
};
Result<WholeRank> open_whole_rank(const RankSlot& thin, const RankPages&, const ClassRules&, const JobContext&);

}  // namespace core
