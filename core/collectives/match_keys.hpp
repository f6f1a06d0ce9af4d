#pragma once
// Matching by what the traces say: number, Comms Id, and the order of sends and receives of one pair. Members of one
// key are brought together by counting, without comparing or looking up: O(members). Internal to core/collectives.

#include "core/collectives/member_keys.hpp"
#include "core/collectives/rank_members.hpp"

namespace core {

class MatchedRun;

// Members that belong together so far; at most one per slot, by slot.
struct Match {
    std::vector<MemberRef> members;
    MatchedBy by = MatchedBy::Order;
    bool repeated = false;  // its number occurs again later: the order decides between them
    Operation operation = Operation::Unknown;  // of the list that it was found in; checked: of most of its members
    std::uint8_t doubts = 0;                   // checked: all but Doubt::Shifted, which depends on clocks
    bool in_parts = false;                     // checked: of several parts on any rank
};

// Members that have a key, of one slot.
struct SlotKeys {
    std::span<const std::uint32_t> keys;     // of one KeyBook, or kNoKey
    std::span<const std::uint32_t> members;  // rising, one for each key; empty: keys are those of all members
    std::uint32_t member(std::uint32_t k) const { return members.empty() ? k : members[k]; }
};

struct MatchInput {
    std::span<const RankMembers> ranks;  // by slot of the run
    std::span<const RunGroup> groups;
    const Cohort* cohort = nullptr;
    MatchParams params{};
};

struct MatchKeys {
    std::span<const SlotKeys> slots{};  // by slot of the run
    std::span<const KeyKind> kinds{};   // by key
};

// The matches of one key.
struct KeyMatches {
    MemberRef first{};  // of all members of the key: keys are in its order
    std::size_t count = 0;
};

// Members that only the order places: by place in the cohort, in launch order.
using OrderedMembers = std::vector<std::vector<std::uint32_t>>;

// Appends the matches of the cohort, checked, members without partner included; returns how many are of which key.
// `rest` gets the members without a key. `scratch`: kNoKey for every key of the book, and so again on return.
std::vector<KeyMatches> match_by_keys(const MatchInput&, const MatchKeys&, std::vector<std::uint32_t>& scratch,
                                      std::vector<Match>& matches, OrderedMembers& rest);

// Gives the matches by key of a run, from this process or from all of a team.
class KeyedMatches {
public:
    virtual ~KeyedMatches() = default;
    // As match_by_keys, of one cohort; each is asked for once.
    virtual void find(const MatchInput&, std::uint32_t cohort, std::vector<Match>& matches, OrderedMembers& rest) = 0;
    // latest_end of each collective from `first` on.
    virtual std::vector<std::int64_t> latest_ends(const MatchedRun&, std::size_t first) = 0;
};

class OwnMatches final : public KeyedMatches {
public:
    explicit OwnMatches(const MatchKeys& keys) : keys_(keys), scratch_(keys.kinds.size(), kNoKey) {}
    void find(const MatchInput&, std::uint32_t cohort, std::vector<Match>& matches, OrderedMembers& rest) override;
    std::vector<std::int64_t> latest_ends(const MatchedRun&, std::size_t first) override;

private:
    MatchKeys keys_;
    std::vector<std::uint32_t> scratch_;
};

}  // namespace core
