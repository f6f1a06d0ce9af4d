#include "core/query/collective_peers.hpp"

#include "core/collectives/matched_run.hpp"

namespace core {
namespace {

PeerMatch match_of(const Collective& c) {
    switch (c.by) {
        case MatchedBy::Number:
            return PeerMatch::Sequence;
        case MatchedBy::CommsId:
            return PeerMatch::CommsId;
        case MatchedBy::Pair:
            return PeerMatch::Pair;
        case MatchedBy::Replay:
            return PeerMatch::Replay;
        default:
            return PeerMatch::Order;
    }
}

}  // namespace

std::string_view name_of(PeerMatch match) {
    switch (match) {
        case PeerMatch::Sequence:
            return "by group and sequence number";
        case PeerMatch::CommsId:
            return "by communicator and sequence number";
        case PeerMatch::Pair:
            return "by order from the end within sender and receiver: not certain";
        case PeerMatch::Replay:
            return "by step, replay of the graph and place in it";
        case PeerMatch::Order:
            return "by order from the end within the group: not certain";
        case PeerMatch::None:
            break;
    }
    return "";
}

Result<CollectivePeers> find_peers(const Run& run, EventRef ref, const JobContext& job) {
    CollectivePeers peers;
    if (job.cancelled()) return cancelled_error();
    const MatchedRunPtr matches = matched(run);
    const std::optional<MemberRef> own = matches->find_member(ref);
    if (!own) return peers;
    const Collective& c = matches->collectives[matches->collective_of(*own)];
    for (const MemberRef other : matches->members_of(c))
        if (other.slot != ref.slot) peers.others.push_back({other.slot, matches->member(other).event});
    if (!peers.others.empty()) peers.match = match_of(c);
    return peers;
}

}  // namespace core
