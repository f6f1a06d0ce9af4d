#pragma once
// Waiting and transferring of each collective on the run's clocks: who was last, how long the others waited, what the
// transfer itself took. Definitions: docs/definitions.md, waits and stragglers. All times are nanoseconds on one clock.

#include "core/collectives/matched_run.hpp"

namespace core {

inline constexpr std::uint32_t kNoPosition = 0xFFFFFFFFu;

struct CollectiveTimes {
    std::int64_t first = 0;  // earliest arrival
    std::int64_t last = 0;  // latest arrival
    std::int64_t lead = 0;  // last − the second latest
    std::int64_t transfer = 0;  // median end − last; may be negative
    std::int64_t end_spread = 0;
    std::int64_t wait = 0;  // sum over members
    std::uint32_t last_slot = 0;
    std::uint32_t pivot = kNoPosition;  // see Waits::find_pivot
    bool left_early = false;  // someone did not need the last one, or the match is wrong
    bool counts = false;  // takes part in waits: see docs/definitions.md
    bool resolved = false;  // the skew exceeds the error: someone was last
    bool close = false;  // the lead does not exceed the error
    std::int64_t skew() const { return last - first; }
};

// Root-cause shares of a collective's wait; they add up to 1. root: the collective that the slot was
// late for by itself.
struct BlameShare {
    std::uint32_t slot = 0;
    std::uint32_t root = 0;
    double share = 0;
};

// Why the last rank of a collective was late against the middle one (lower median by arrival).
struct Lateness {
    bool known = false;  // both ranks were released by an earlier collective
    std::uint32_t late = 0;
    std::uint32_t middle = 0;
    std::int64_t lateness = 0;
    std::int64_t inherited = 0;
    std::int64_t own = 0;
    RankRange late_stretch{};  // on each rank's own clock
    RankRange middle_stretch{};
    std::uint32_t released_by = 0xFFFFFFFFu;  // the collective that released the late rank
};

class Waits {
public:
    MatchedRunPtr matched;
    std::vector<CollectiveTimes> times;  // by collective
    std::vector<std::int64_t> wait;  // by member, as MatchedRun::members
    std::vector<Lateness> lateness;  // by collective; of those that count
    std::vector<std::uint32_t> blame_first;  // by collective, one longer
    std::vector<BlameShare> blame;
    std::vector<bool> aligned;  // by cohort: on aligned clocks

    std::int64_t error(std::uint32_t cohort) const {
        const CohortClocks& clocks = matched->clocks[cohort];
        return aligned[cohort] ? clocks.error : clocks.recorded_error;
    }
    std::int64_t start(MemberRef ref) const;
    std::int64_t end(MemberRef ref) const;
    std::int64_t duration(MemberRef ref) const { return matched->member(ref).duration.count(); }
    std::span<const BlameShare> blame_of(std::uint32_t collective) const {
        return std::span(blame).subspan(blame_first[collective], blame_first[collective + 1] - blame_first[collective]);
    }
    // Whether its members are told into waiting and transferring: matched beyond doubt, everyone waits for the last.
    bool splits(std::uint32_t collective) const;
    // The member that those of a one-sided collective wait for, or that waits for them: the sender, the root. A
    // position in MatchedRun::members; absent where it is unknown or not here, the match is doubtful, clocks cannot be
    // compared, or a root that gathers lacks a member.
    std::optional<std::uint32_t> find_pivot(std::uint32_t collective) const;
    // Whether what a member waits is known: everyone waits for the last, or its collective is one-sided with a pivot.
    // What a sender waits no trace tells.
    bool knows_wait(std::uint32_t collective, std::uint32_t position) const;
    // The member that others wait for: the last, the sender, the root; of a root that gathers the last of the others.
    std::optional<std::uint32_t> find_awaited(std::uint32_t collective) const;
    // The transfer of a collective as bandwidth counts it: of a one-sided one the median over receivers of what is left
    // after both ends have come. Absent where it is not measured.
    std::optional<std::int64_t> find_transfer(std::uint32_t collective) const;
    // Wait of a member; absent where that is not known. O(log members).
    std::optional<std::int64_t> find_wait(MemberRef ref) const;
    // The same of collectives that split only.
    std::optional<std::int64_t> find_split(MemberRef ref) const;
    // Wait of one member, and the rest of its duration.
    std::int64_t wait_of(std::uint32_t position) const { return wait[position]; }
    std::int64_t transfer_of(std::uint32_t position) const {
        return duration(matched->members[position]) - wait[position];
    }
};

using WaitsPtr = std::shared_ptr<const Waits>;

// O(members log members). aligned: by cohort.
WaitsPtr measure_waits(const MatchedRunPtr&, const std::vector<bool>& aligned);
// On the clocks that the run is on.
WaitsPtr measure_waits(const Run&);
// The same of other matches of the run than its own.
WaitsPtr measure_waits(const Run&, const MatchedRunPtr&);
// The same, made once and kept with the run.
WaitsPtr waits_of(const Run&);

}  // namespace core
