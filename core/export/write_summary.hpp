#pragma once
// Writes a run summary (docs/formats.md): every rank thinned, with the answers that need its single events, and those
// of the run. O(events) per rank and analysis that is kept; the ranks one after another on several threads.

#include "core/base/jobs.hpp"
#include "core/cluster/team.hpp"
#include "core/index/run.hpp"

#include <filesystem>

namespace core {

// run: on recorded clocks. Returns the size of the file. BadInput: the run is a summary itself, or has no ranks.
Result<std::uint64_t> write_summary(const RunPtr& run, const std::filesystem::path& file, unsigned threads,
                                    const JobContext&);
// Collective. Writes the same file with the processes of a team that have this run open: each packs a part of the
// ranks, process 0 writes them, a few megabytes of each process at a time. The other processes return size 0 and don't
// learn of a failed write.
Result<std::uint64_t> write_summary(Team&, const RunPtr& run, const std::filesystem::path& file, unsigned threads,
                                    const JobContext&);

}  // namespace core
