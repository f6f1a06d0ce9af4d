#pragma once
// Writes ranks as files in Chrome's trace event format, one per rank, for Perfetto,
// chrome://tracing and tools that read PyTorch profiler traces. Lockstep reads them back as the
// same events.

#include "core/analysis/engine/analysis.hpp"
#include "core/base/output_file.hpp"

#include <filesystem>
#include <optional>

namespace core {

struct ChromeFile {
    std::size_t slot = 0;
    std::filesystem::path path;
    InputFiles inputs = {};  // inputs, never overwritten
};
struct ChromeSummary {
    ChromeFile file;
    std::uint64_t events = 0;  // events of the rank
    std::uint64_t added = 0;   // Lockstep's slices and counter values
    std::uint64_t bytes = 0;   // on disk
};

// rank3.json, rank3_capture0002.json.gz: names of second captures sort after the first.
std::string chrome_file_name(RankKey, bool gzip);

// Output files of the ranks in the filter: one rank goes to `out` itself, unless that is a folder or ends with a slash;
// several go to rank0.json, ... in the folder `out`, gzipped if requested. Refuses a folder that exists as a file or is
// named like one, and outputs that would replace `inputs` (if empty: the run's traces).
Result<std::vector<ChromeFile>> plan_chrome_files(const Run&, const Filter&, const std::filesystem::path& out,
                                                  bool gzip, std::optional<InputFiles> inputs = std::nullopt);

struct ChromeText {
    std::uint64_t events = 0;  // events of the rank
    std::uint64_t added = 0;  // Lockstep's slices and counter values
    std::uint64_t bytes = 0;  // before packing
};
// Writes one rank's trace to a file that the caller commits; the same bytes each time. Fails if cancelled, or if the
// rank's mapped file was cut or changed meanwhile.
Result<ChromeText> write_chrome_text(const Run&, std::size_t slot, const Filter&, OutputFile&, const JobContext&);

// Writes one file, gzipped if its name ends in .gz. Fails if cancelled; other errors name the file.
// The file contains the rank's events that pass the filter, uncut and on the rank's own clock to the nanosecond, with
// their arguments and the other members of the source file; the marks of the chosen steps; arrows from launches to GPU
// work and those of the source; its counters; and, in a process "Lockstep", collect_chrome_additions. Additions of an
// earlier export are dropped. A file is written in pieces and gets its name only when complete.
Result<ChromeSummary> write_chrome_trace(const Run&, const Filter&, const ChromeFile&, const JobContext&);

// Writes all files, ranks in parallel; creates their folder if needed. Progress counts ranks.
Result<std::vector<ChromeSummary>> write_chrome_traces(const Run&, const Filter&, std::span<const ChromeFile>,
                                                       unsigned threads, const JobContext&);

}  // namespace core
