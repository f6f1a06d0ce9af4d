#pragma once
// Writes a run as one archive that Perfetto (version 58 and later) opens as one trace: a TAR of each rank's trace in
// Chrome's format and a manifest that names the ranks and puts them on one clock, the one the run is on. Ranks whose
// process ids are the same stay apart. The times inside the traces are as recorded.

#include "core/export/chrome/chrome_trace.hpp"

namespace core {

struct ArchivedRank {
    std::size_t slot = 0;
    std::string name;           // of the member: rank3.json
    std::uint64_t events = 0;   // events of the rank
    std::uint64_t added = 0;    // Lockstep's slices and counter values
    std::uint64_t bytes = 0;    // of the member
    Duration offset{0};         // run time − time in the member, in the middle of the rank's events
    Duration left_by_drift{0};  // error at their ends, because a manifest has no drift
};

struct ArchiveSummary {
    std::vector<ArchivedRank> ranks;
    std::uint64_t bytes = 0;  // of the archive
};

// The manifest of these ranks, as JSON: https://perfetto.dev/docs/reference/perfetto-manifest, version 1.
std::string format_perfetto_manifest(const Run&, std::span<const ArchivedRank>);

// Writes the archive. A TAR header needs the size of its member, so each rank is formatted twice: first to count its
// bytes, ranks in parallel, then to write them; no member is in memory as a whole. Fails if cancelled, if no rank is
// accepted, or if `out` would replace one of `inputs`. Progress counts ranks, twice each.
Result<ArchiveSummary> write_perfetto_archive(const Run&, const Filter&, const std::filesystem::path& out,
                                              const InputFiles& inputs, unsigned threads, const JobContext&);

}  // namespace core
