#pragma once
// The same collective on the other ranks, for a kernel of one, as matched across the run (core/collectives). The
// first question matches the run: O(members log members), for the pool; later ones cost the rank's members.

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"

namespace core {

enum class PeerMatch : std::uint8_t { None, Sequence, CommsId, Pair, Replay, Order };
std::string_view name_of(PeerMatch);  // "by sequence number", …

struct CollectivePeers {
    PeerMatch match = PeerMatch::None;
    std::vector<EventRef> others;  // on other ranks, by slot, at most one each
};

// Empty if the event isn't a kernel of a collective.
Result<CollectivePeers> find_peers(const Run&, EventRef, const JobContext&);

}  // namespace core
