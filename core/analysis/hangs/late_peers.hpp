#pragma once
// Sends and receives that wait for their partner. The operations of a batch keep the state "scheduled" for good; the
// entry that closes the batch under the same number has the state of all. O(calls log calls).

#include "core/analysis/hangs/find_hangs.hpp"

#include <vector>

namespace core::hangs {

// A rank that has made fewer of the sends or receives of a pair than its partner, which waits.
struct LatePeer {
    std::uint32_t group = 0;
    std::int32_t late = 0, waits = 0;    // rank numbers
    const RecordedCall* call = nullptr;  // the last of the pair that `waits` waits in; points into the job
};

// Pairs of ranks that both have a dump, by group and position. Calls that the late rank's ring may have overwritten,
// and ranks with unread entries, are no evidence.
std::vector<LatePeer> find_late_peers(const RecordedJob& job);

}  // namespace core::hangs
