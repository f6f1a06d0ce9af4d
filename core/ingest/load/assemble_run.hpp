#pragma once
// Ranks that were read become a Run: which rank each is, which logs belong to which, and on which clock.

#include "core/index/run.hpp"
#include "core/ingest/load/discover.hpp"

#include <span>
#include <vector>

namespace core {

// One rank of a file.
struct LoadedRank {
    RankIndexPtr index;
    std::shared_ptr<const std::vector<InternedName>> names;
};

// `loaded`: by file; empty where a file is not (yet) read. `parts`: all but ranks and companions; troubles of reading
// are in its diagnostics. `pages` of a run summary: those of `parts`, else of the index files beside it.
RunPtr assemble_run(RunParts parts, std::span<const FoundFile> files, std::span<const std::vector<LoadedRank>> loaded);

}  // namespace core
