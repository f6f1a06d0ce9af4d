#pragma once
// The same collective on the other ranks (DEFINITIONS, collectives across ranks), for a kernel of one:
// by members, group name, peer-to-peer and Seq, else by Comms Id and Seq, else by order from the end within (group,
// operation). O(communication events of the ranks); for the pool.

#include "core/base/jobs.hpp"
#include "core/index/run.hpp"

namespace core {

enum class PeerMatch : std::uint8_t { None, Sequence, CommsId, Order };
std::string_view name_of(PeerMatch);  // "by sequence number", …

struct CollectivePeers {
    PeerMatch match = PeerMatch::None;
    std::vector<EventRef> others;  // on other ranks, by slot, one each; a rank may be missing
};

// None of an event that is no kernel of a collective.
Result<CollectivePeers> find_peers(const Run&, EventRef, const JobContext&);

}  // namespace core
