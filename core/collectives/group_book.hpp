#pragma once
// The process groups that ranks name: equal ones of all ranks have one number. Each rank's are read once, when it
// arrives. Internal to core/collectives.

#include "core/collectives/matched_run.hpp"
#include "core/collectives/member_keys.hpp"

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace core {

// One rank's groups, by its own numbers of them.
struct RankGroups {
    std::vector<KeyGroup> groups;           // of the book
    std::vector<std::uint32_t> operations;  // bits of 1 << operation; one longer: of members without a group
};

class GroupBook {
public:
    RankGroups read(const RankSlot&);
    // The parts of it: what costs O(groups), and what costs O(members).
    RankGroups read_groups(const RankSlot&);
    void read_operations(const RankSlot&, RankGroups&) const;
    // The groups of a run of these ranks, in the order in which they name them, with axes and labels; each rank's
    // numbers of them are set. O(ranks · groups of a rank).
    std::vector<RunGroup> collect(const Run&, std::span<const RankGroups* const> by_slot,
                                  std::vector<RankMembers>& ranks) const;

private:
    // Equal lists are one (RankList): a group of 10,000 ranks is sorted and compared once, not by each of them.
    struct Sorted {
        RankList stated, members;
    };
    RankList sorted_members(const RankList& stated);
    RankList find_members(const RankTrace&, const MemberGroup&, std::string_view name);

    using Key = std::tuple<const std::vector<std::int32_t>*, std::string, std::string, std::int64_t>;
    std::map<Key, std::uint32_t> numbers_;
    std::map<const std::vector<std::int32_t>*, Sorted> sorted_;
    std::vector<RankList> lists_;  // of keys, which stay while these are here
    std::vector<RunGroup> groups_ = std::vector<RunGroup>(1);
};

}  // namespace core
