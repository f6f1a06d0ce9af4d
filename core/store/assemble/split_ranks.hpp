#pragma once
// Several ranks in one file: recognises them by the names and numbers of processes and threads, by the devices that
// processes are named after, or by an argument that says the process is a rank, and divides the staged records among
// them. All or nothing: every thread that has events must name a rank, and there must be two at least. Where devices
// tell the ranks, the host's threads are shared: the first rank has them, and each has their steps. Internal to
// core/store.

#include "core/base/jobs.hpp"
#include "core/store/staged_events.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

// More ranks than this stay one: each costs memory of its own.
inline constexpr std::size_t kMostRanksOfFile = 4'096;

struct RankSplit {
    std::vector<std::int32_t> ranks;           // their numbers, ascending
    std::vector<std::uint32_t> part_of_thread; // by Staged::threads, into ranks
    std::string how;                           // for the user: names that told the ranks apart
    bool by_device = false;                    // numbers are those of the devices of one host
    std::vector<bool> is_shared;               // by Staged::threads: of no rank alone
};

// The text store must be closed. `stated`: the rank that the file says wrote it. A tool that merges files leaves what
// one of them said, so names of several ranks win if it is among them; numbers of devices do not.
std::optional<RankSplit> find_ranks_in_file(const Staged&, std::optional<std::int32_t> stated = std::nullopt);

// The rank that every thread with events names: "RANK 1 HOST", "RANK 1 DEVICE 0". Nothing if one names none.
std::optional<std::int32_t> find_only_rank(const Staged&);

// One Staged per rank. Records that belong to no rank (dropped ones, diagnostics, counts of metadata) go to the first,
// so sums over the ranks are those of the file. O(records); memory as before, plus one column.
std::vector<Staged> split_by_rank(Staged staged, const RankSplit& split);

}  // namespace core
