#pragma once
// Ranks as files in Chrome's trace event format, one each, for Perfetto, chrome://tracing and every tool that reads
// what the PyTorch profiler writes; our own reader takes them back as the same events.
//
// A file has the rank's events that pass the filter, whole and on the rank's own clock to the nanosecond, with their
// arguments and the other members of the file they came from; the marks of the chosen steps, whatever else the filter
// chooses; arrows from launches to GPU work and those of the file; its counters; and beside them, in a process
// "Lockstep", what collect_chrome_additions has. What an earlier export added is left out. Files are written piece by
// piece and appear under their names only when whole.

#include "core/analysis/engine/analysis.hpp"

#include <filesystem>

namespace core {

struct ChromeFile {
    std::size_t slot = 0;
    std::filesystem::path path;
};
struct ChromeSummary {
    ChromeFile file;
    std::uint64_t events = 0;  // of the rank
    std::uint64_t added = 0;   // slices and counter values of Lockstep
    std::uint64_t bytes = 0;   // on disk
};

// Where the ranks that the filter takes go: a single one to `out` itself, unless that is a folder or ends with a
// slash; else to rank0.json, ... in the folder `out`, gzipped if asked for. Refuses a folder where there is a file, or
// whose name ends like a file's, and what would replace a trace of the run.
Result<std::vector<ChromeFile>> plan_chrome_files(const Run&, const Filter&, const std::filesystem::path& out,
                                                  bool gzip);

// Writes one file, gzipped if its name ends in .gz. Fails when cancelled, naming the file otherwise.
Result<ChromeSummary> write_chrome_trace(const Run&, const Filter&, const ChromeFile&, const JobContext&);

// All of them, ranks in parallel, with their folder if need be. Progress counts ranks.
Result<std::vector<ChromeSummary>> write_chrome_traces(const Run&, const Filter&, std::span<const ChromeFile>,
                                                       unsigned threads, const JobContext&);

}  // namespace core
