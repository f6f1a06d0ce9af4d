#pragma once
// The collectives of a run: groups, cohorts, matches with their confidence, and the clocks measured from them. Made
// once per set of ranks, from the ranks' member tables alone, and shared by everything that asks. Independent of the
// clock that the run is shown on.

#include "core/collectives/clocks.hpp"
#include "core/collectives/rank_members.hpp"
#include "core/index/run.hpp"

#include <memory>

namespace core {

struct CohortClocks {
    ClockFit fit;             // by place in the cohort
    std::int64_t error = 50'000;           // ns, on aligned clocks
    std::int64_t recorded_error = 50'000;  // ns, on recorded clocks
    bool measured = false;    // the evidence was accepted
    bool matters = false;     // aligning moves more than it leaves
    std::string refused;      // why the evidence was not accepted; empty where there was none
};

struct SlotPlace {
    std::uint32_t cohort = 0;
    std::uint32_t place = 0;  // in it
};

class KeyedMatches;

class MatchedRun {
public:
    MatchParams params{};
    std::vector<RunGroup> groups;
    std::vector<Cohort> cohorts;
    std::vector<CohortClocks> clocks;   // by cohort
    std::vector<SlotPlace> places;       // by slot
    std::vector<RankIndexPtr> indexes;   // keeps the member tables
    std::vector<RankMembers> ranks;      // by slot; spans into the member tables
    std::vector<MemberRef> members;
    std::vector<std::uint32_t> missing_slots;
    std::vector<Collective> collectives;  // by cohort, group, operation, sequence

    std::span<const MemberRef> members_of(const Collective& c) const {
        return std::span(members).subspan(c.first, c.count);
    }
    std::span<const std::uint32_t> missing_of(const Collective& c) const {
        return std::span(missing_slots).subspan(c.first_missing, c.missing);
    }
    const MemberEvent& member(MemberRef ref) const { return ranks[ref.slot].events[ref.index]; }
    // The collective of a member; every member is in exactly one.
    std::uint32_t collective_of(MemberRef ref) const { return of_member_[first_of_slot_[ref.slot] + ref.index]; }
    // The member whose first part an event is; absent for other events.
    std::optional<MemberRef> find_member(EventRef) const;
    const MeasuredClock& clock(std::uint32_t slot) const {
        return clocks[places[slot].cohort].fit.ranks[places[slot].place];
    }
    // The step that all members agree on.
    std::optional<std::int64_t> step_of(const Collective& c) const;
    // Position of the root of a broadcast, reduce, gather or scatter in `members`; absent where no member states it,
    // two disagree, the group's members are unknown or its event is not here. O(members).
    std::optional<std::uint32_t> find_root(const Collective& c) const;
    std::size_t resident_bytes() const;

private:
    friend std::shared_ptr<const MatchedRun> match_members(MatchedRun, KeyedMatches&);
    void number_members();
    std::vector<std::uint32_t> of_member_;
    std::vector<std::uint32_t> first_of_slot_;
};

using MatchedRunPtr = std::shared_ptr<const MatchedRun>;

// Matches ranks and groups that are set already.
MatchedRunPtr match_members(MatchedRun);
// O(members log members). Keeps no reference to the run, but to its ranks' indexes.
MatchedRunPtr match_run(const Run&, const MatchParams& = {});
// The same, made once and kept with the run.
MatchedRunPtr matched(const Run&);

// Parts of match_run, each tested by itself.
// Names the axis of groups that no description names, where all groups of known members form a mesh: two axes or more,
// each of which divides all ranks into groups of one size and stride, and that together reach every rank once. The
// axis is then told by what the groups do and by its place: docs/definitions.md, matching. Never a guess: a group off
// the mesh, or on an axis that may be one or another, keeps GroupAxis::None. uses: by group, bits of 1 << operation,
// and kRing where messages go from its last rank to its first.
inline constexpr std::uint32_t kRing = 1U << 31;
void name_axes(std::vector<RunGroup>&, std::span<const std::uint32_t> uses);
std::vector<Cohort> find_cohorts(std::span<const RankMembers> ranks);

}  // namespace core
