#pragma once
// From paths to a Run. A run is a folder (searched recursively), a file, or several files. Ranks load in
// parallel; a file that cannot be read is named in the run's diagnostics and the others still open.
// With on_rank, each arriving rank is handed over as a new Run that holds all ranks so far (called from
// worker threads, one at a time). Fails only when nothing could be opened, or when cancelled.

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"

#include <filesystem>
#include <functional>

namespace core {

struct LoadProgress {             // written by workers, read by anyone
    std::atomic<std::uint64_t> bytes_done{0};    // of the files on disk
    std::atomic<std::uint64_t> bytes_total{0};
    std::atomic<std::uint64_t> events{0};
    std::atomic<std::uint32_t> ranks_done{0};
    std::atomic<std::uint32_t> ranks_total{0};   // files that look like traces
};

struct LoadOptions {
    unsigned threads = 0;                        // 0 = all cores
    ClassRules rules = ClassRules::standard();
    std::shared_ptr<SessionNames> names;         // null: a fresh one
    std::function<void(RunPtr)> on_rank;         // may be empty
};

Result<RunPtr> load_run(std::span<const std::filesystem::path> paths, const LoadOptions&, LoadProgress&,
                        const JobContext&);

// One file. Errors read "rank3.json.gz: byte 81920: no closing brace".
Result<RankTracePtr> load_rank(const std::filesystem::path& path, LoadProgress&, const JobContext&);

}  // namespace core
