#pragma once
// From paths to a Run. A run is a folder (searched recursively), a file, or several files. Ranks load in
// parallel; a file that cannot be read is named in the run's diagnostics and the others still open.
// With on_rank, each arriving rank is handed over as a new Run that holds all ranks so far (called from
// worker threads, one at a time); its index file is written after that. Of many ranks several arrive together, as a Run
// costs its ranks: a Run for each n / 64 when n are there; for each rank where a quarter of a second has passed since
// the last, and once the last file is begun. Fails only when nothing could be opened, or when cancelled; ranks that
// were read by then have been handed over.

#include "core/base/jobs.hpp"
#include "core/cluster/shard.hpp"
#include "core/cluster/team.hpp"
#include "core/index/run.hpp"
#include "core/ingest/load/kept_ranks.hpp"
#include "core/ingest/source/load_progress.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace core {

// Use: open by them, and write those that are missing; UseCache: write them into the cache folder, not beside traces.
enum class IndexFiles { Ignore, Use, UseCache };

struct LoadOptions {
    unsigned threads = 0;  // 0 = all cores
    ClassRules rules = ClassRules::standard();
    std::shared_ptr<InternedNames> names;  // null: a fresh one
    std::function<void(RunPtr)> on_rank;  // may be empty
    IndexFiles index_files = IndexFiles::Ignore;  // not used with step_marks, which they know nothing of
    std::uint64_t cache_limit = 0;  // bytes of the cache folder, whose oldest index files go; 0: none
    std::string step_marks{};  // name of the ranges that are steps; empty: by the format's rule
    // For a folder that grows: the files that may be read, as they were found, and the ranks of earlier loads. A file
    // of another state now is not read. Null: all files are.
    std::shared_ptr<const std::map<std::filesystem::path, FileState>> finished{};
    std::shared_ptr<KeptRanks> kept{};
    std::shared_ptr<const RankPages> pages{};  // of a run summary; null: index files beside it, if there are any
};

Result<RunPtr> load_run(std::span<const std::filesystem::path> paths, const LoadOptions&, LoadProgress&,
                        const JobContext&);

// Outcome of writing or opening the index file of one trace.
struct IndexOutcome {
    enum class Kind { Written, Current, Failed, NoTrace };  // NoTrace: found in a folder and passed over
    Kind kind = Kind::Failed;
    std::filesystem::path trace;
    std::filesystem::path file;  // the index file
    std::uint64_t bytes = 0;  // of it
    std::string why;  // it is not there, or the one that was there was not used
};

struct BuildIndexOptions {
    unsigned threads = 0;  // 0 = all cores
    ClassRules rules = ClassRules::standard();
    std::filesystem::path folder;  // where they go, as the traces lie below their folder; empty: beside them
    // One of several processes, each with the same paths. Each works on its share first and then helps with the
    // others'; all end when every file is done, whichever process did it. Work of a process that gives no sign of life
    // is done by another.
    std::optional<Shard> shard{};
    std::chrono::milliseconds claim_timeout = std::chrono::seconds(60);
    // Processes that pass messages instead; null: none. Process 0 lists the files, all call with the same options and
    // take files, the largest first, and process 0 gets every outcome; the others get none.
    Team* team = nullptr;
    bool cache_first = false;  // the cache folder before the place beside the trace; not with a folder
};

// Makes the index files of a run's traces where they are missing or out of date, a rank per thread in memory at most.
// In the order of names. Fails only when there is no trace at all, or when cancelled.
Result<std::vector<IndexOutcome>> build_index_files(std::span<const std::filesystem::path> paths,
                                                    const BuildIndexOptions&, LoadProgress&, const JobContext&);

// After build_index_files was stopped: how many of the files have no index file yet, and the first ones, by name.
struct MissingIndexFiles {
    std::size_t of = 0;
    std::size_t count = 0;
    std::vector<std::filesystem::path> first{};  // at most three traces
};
MissingIndexFiles find_missing_index_files(std::span<const std::filesystem::path> paths, const BuildIndexOptions&);

// One file. Errors read "rank3.json.gz: byte 81920: no closing brace".
Result<RankTracePtr> load_rank(const std::filesystem::path& path, LoadProgress&, const JobContext&);

}  // namespace core
