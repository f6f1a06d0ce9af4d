#pragma once
// Matches the runs of one load as their ranks arrive: the groups and keys of a rank's members are found once, when it
// comes. What is made anew for each run is counting members out to their keys, the clocks, and what the order alone
// places. One thread at a time.

#include "core/collectives/group_book.hpp"
#include "core/collectives/matched_run.hpp"
#include "core/collectives/member_keys.hpp"

#include <map>

namespace core {

// The ranks of a run by slot, without their groups.
std::vector<RankMembers> collect_ranks(const Run&);

class RunMatcher {
public:
    // Equal to match_run of the same run, whatever was matched before.
    MatchedRunPtr match(const Run&, const MatchParams& = {});
    std::size_t looked_up() const { return keys_.looked_up(); }  // members whose key was looked up so far

private:
    struct KnownRank {
        RankIndexPtr index;  // keeps the address that it is known by
        RankGroups groups;
        std::vector<std::uint32_t> keys;
    };
    const KnownRank& find_rank(const RankSlot&);
    std::map<std::pair<const RankIndex*, std::int32_t>, KnownRank> known_;
    GroupBook groups_;
    KeyBook keys_;
};

}  // namespace core
