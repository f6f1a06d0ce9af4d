#pragma once
// Matching by what the traces say: number, Comms Id, and the order of sends and receives of one pair. A merge by key:
// O(members log members). Internal to core/collectives.

#include "core/collectives/rank_members.hpp"

namespace core {

// Members that belong together so far; at most one per slot, by slot.
struct Match {
    std::vector<MemberRef> members;
    MatchedBy by = MatchedBy::Order;
    bool repeated = false;  // its number occurs again later: the order decides between them
    Operation operation = Operation::Unknown;  // of the list that it was found in
};

struct MatchInput {
    std::span<const RankMembers> ranks;   // by slot of the run
    std::span<const RunGroup> groups;
    const RunSession* session = nullptr;
    MatchParams params{};
};

// Appends the matches of the session, members without partner included. `rest` gets those that neither number,
// Comms Id nor peer places, by slot of the session, in launch order.
void match_by_keys(const MatchInput&, std::vector<Match>& matches, std::vector<std::vector<std::uint32_t>>& rest);

}  // namespace core
