#pragma once
// Launches of GPU work without a GPU event: what the profiler lost, told from what it never records. Launches count by
// their names (launch_names.hpp), for every vendor. What is lost in the middle counts from two per thousand on; before
// the first and after the last launch with work the GPU may not be recorded at all, so there a whole step is lost, or
// more than a tenth of all launches, or nothing. Launches into the capture of a graph have no work, and a kernel that
// carries the number of another launch stands for one that has none. Where CUPTI counts events per kernel, each is a
// range of counters instead of a GPU event: nothing is lost.

#include "core/store/rank_trace.hpp"

#include <string>
#include <vector>

namespace core {

struct LaunchLosses {
    std::uint64_t launches = 0;  // of kernels and graphs, as far as the GPU is taken to be recorded
    std::uint64_t lost = 0;      // of them; 0: no more than every profiler loses
    std::uint64_t at_ends = 0;   // of the lost: before the first with work, or after the last
    std::uint64_t copies = 0;    // calls that copy or set memory; the CPU may do it
    std::uint64_t ranges = 0;    // kernels recorded as ranges of counters, whose times are not those of the GPU
    EventId example = kNoEvent;  // the first that is lost
    // Launches without work, by event; more than are lost where kernels carry the number of another launch.
    std::vector<EventId> without_work;
    // "16 of 40 launches of kernels and graphs have no GPU event, before the first …"
    std::string text() const;
};

// O(events + names).
LaunchLosses find_launch_losses(const RankTrace&);

}  // namespace core
