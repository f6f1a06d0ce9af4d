#pragma once
// Matching by what the traces say: number, Comms Id, and the order of sends and receives of one pair. Members of one
// key are brought together by counting, without comparing or looking up: O(members). Internal to core/collectives.

#include "core/collectives/member_keys.hpp"
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
    std::span<const RankMembers> ranks;  // by slot of the run
    std::span<const RunGroup> groups;
    const RunSession* session = nullptr;
    MatchParams params{};
    std::span<const std::span<const std::uint32_t>> keys{};  // by slot and member, of one KeyBook
    std::span<const KeyKind> kinds{};                        // by key
};

// Appends the matches of the session, members without partner included. `rest` gets those that neither number,
// Comms Id nor peer places, by slot of the session, in launch order. `scratch`: kNoKey for every key of the book, and
// so again on return.
void match_by_keys(const MatchInput&, std::vector<std::uint32_t>& scratch, std::vector<Match>& matches,
                   std::vector<std::vector<std::uint32_t>>& rest);

}  // namespace core
