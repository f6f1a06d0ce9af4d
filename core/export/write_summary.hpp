#pragma once
// Writes a run summary (docs/formats.md): every rank thinned, with the answers that need its single events, and those
// of the run. O(events) per rank and analysis that is kept; the ranks one after another on several threads.

#include "core/base/jobs.hpp"
#include "core/cluster/team.hpp"
#include "core/index/run.hpp"

#include <filesystem>

namespace core {

// run: on recorded clocks. How large the file is. BadInput: the run is a summary itself, or has no ranks.
Result<std::uint64_t> write_summary(const RunPtr& run, const std::filesystem::path& file, unsigned threads,
                                    const JobContext&);
// Collective. The same file, its ranks shared by the processes of a team that have this run open: process 0 writes what
// all make of them, a few megabytes of each at a time. Elsewhere the size is 0, and a failure to write is not known.
Result<std::uint64_t> write_summary(Team&, const RunPtr& run, const std::filesystem::path& file, unsigned threads,
                                    const JobContext&);

}  // namespace core
