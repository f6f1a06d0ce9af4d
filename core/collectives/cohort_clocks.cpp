#include "core/collectives/cohort_clocks.hpp"

#include "core/collectives/check_matches.hpp"

#include <map>

namespace core {
namespace {

constexpr std::int64_t kUnmeasuredError = 50'000;   // ns: clocks of one host
constexpr std::int64_t kWorstError = 1'000'000;     // ns: larger than this and than half a transfer is refused
constexpr std::int64_t kMattersTimes = 4;
constexpr std::int64_t kWidestBounds = 1'000'000;   // ns: wider ones of two parts say too little to compare them

struct Problem {
    ClockProblem problem;
    std::vector<std::int64_t> durations;  // shortest members: what a transfer takes at most
};

std::uint32_t place_of(const MatchInput& input, std::uint32_t slot) {
    const std::vector<std::uint32_t>& slots = input.cohort->slots;
    if (slot < slots.size() && slots[slot] == slot) return slot;  // all before it are of the cohort, too
    return static_cast<std::uint32_t>(std::ranges::lower_bound(slots, slot) - slots.begin());
}

bool is_evidence(const MatchInput& input, const Match& match, const std::vector<bool>& shifted) {
    if (match.members.size() < 2 || match.by == MatchedBy::Pair || match.in_parts) return false;
    return waits_for_last(match.operation) && doubts_of(input, match, shifted) == 0;
}

Problem make_problem(const MatchInput& input, std::span<const Match> matches, const std::vector<bool>& shifted) {
    Problem made;
    ClockProblem& problem = made.problem;
    problem.ranks = static_cast<std::uint32_t>(input.cohort->slots.size());
    problem.least_for_drift = static_cast<std::uint32_t>(input.params.drift_least);
    problem.drift_saves = static_cast<double>(input.params.drift_saves) / 100;
    for (const Match& match : matches) {
        if (!is_evidence(input, match, shifted)) continue;
        ClockEvidence evidence;
        evidence.first = static_cast<std::uint32_t>(problem.samples.size());
        evidence.count = static_cast<std::uint32_t>(match.members.size());
        evidence.together = ends_together(match.operation);
        evidence.shortest = std::numeric_limits<std::int64_t>::max();
        for (const MemberRef ref : match.members) {
            const RankMembers& rank = input.ranks[ref.slot];
            const ClockSample sample{
                .rank = place_of(input, ref.slot), .start = rank.start(ref.index), .end = rank.end(ref.index)};
            evidence.shortest = std::min(evidence.shortest, sample.end - sample.start);
            problem.samples.push_back(sample);
        }
        made.durations.push_back(evidence.shortest);
        problem.evidence.push_back(evidence);
    }
    return made;
}

std::string find_refusal(const MatchInput& input, const ClockFit& fit, std::int64_t error, std::int64_t transfer) {
    for (std::size_t place = 0; place < fit.ranks.size(); ++place)
        if (fit.ranks[place].collectives < input.params.least)
            return "fewer than " + std::to_string(input.params.least) + " usable collectives on rank " +
                   std::to_string(input.ranks[input.cohort->slots[place]].rank);
    if (error > kWorstError && error > transfer / 2) return "members leave too far apart";
    return "";
}

// Bounds of how far one part's clocks are ahead of another's, from messages both ways: none ends before it begins.
struct Bounds {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    bool known() const {
        return low != std::numeric_limits<std::int64_t>::min() && high != std::numeric_limits<std::int64_t>::max();
    }
    std::int64_t width() const { return high - low; }
};
using PartPair = std::pair<std::uint32_t, std::uint32_t>;  // the first is what the second is measured against

std::map<PartPair, Bounds> collect_bounds(const MatchInput& input, std::span<const Match> matches,
                                          const ClockFit& fit) {
    std::map<PartPair, Bounds> bounds;
    for (const Match& match : matches) {
        if (match.by != MatchedBy::Pair || match.members.size() != 2 || match.doubts != 0) continue;
        const auto operation = [&](MemberRef ref) { return input.ranks[ref.slot].events[ref.index].operation; };
        const bool first_sends = operation(match.members[0]) == Operation::Send;
        const MemberRef send = match.members[first_sends ? 0 : 1], receive = match.members[first_sends ? 1 : 0];
        if (operation(send) != Operation::Send || operation(receive) != Operation::Recv) continue;
        const MeasuredClock& from = fit.ranks[place_of(input, send.slot)];
        const MeasuredClock& to = fit.ranks[place_of(input, receive.slot)];
        if (from.part == to.part || from.collectives == 0 || to.collectives == 0) continue;
        const std::int64_t most = to.to_true(input.ranks[receive.slot].end(receive.index)) -
                                  from.to_true(input.ranks[send.slot].start(send.index));
        Bounds& ahead = bounds[{from.part, to.part}];
        ahead.high = std::min(ahead.high, most);
        Bounds& behind = bounds[{to.part, from.part}];
        behind.low = std::max(behind.low, -most);
    }
    return bounds;
}

// Joins parts that messages go both ways between, the one whose offset is known best first. Returns half of the widest
// bounds it used: what its offset may be wrong by.
std::int64_t join_parts(const MatchInput& input, std::span<const Match> matches, ClockFit& fit) {
    std::int64_t unsure = 0;
    for (;;) {
        const std::map<PartPair, Bounds> bounds = collect_bounds(input, matches, fit);
        const std::pair<const PartPair, Bounds>* best = nullptr;
        for (const auto& one : bounds) {
            const bool usable = one.first.first < one.first.second && one.second.known() && one.second.width() >= 0 &&
                                one.second.width() < kWidestBounds;
            if (usable && (best == nullptr || one.second.width() < best->second.width())) best = &one;
        }
        if (best == nullptr) return unsure;
        const std::int64_t middle = best->second.low + best->second.width() / 2;
        unsure = std::max(unsure, best->second.width() / 2);
        for (MeasuredClock& clock : fit.ranks) {
            if (clock.part != best->first.second) continue;
            clock.part = best->first.first;
            clock.offset += middle;
        }
    }
}

// Largest difference of offsets within a part.
std::int64_t width_of(const ClockFit& fit) {
    std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> ends;
    std::int64_t width = 0;
    for (const MeasuredClock& clock : fit.ranks) {
        auto& [least, most] = ends.try_emplace(clock.part, clock.offset, clock.offset).first->second;
        least = std::min(least, clock.offset);
        most = std::max(most, clock.offset);
        width = std::max(width, most - least);
    }
    return width;
}

}  // namespace

ClockFit fit_cohort(const MatchInput& input, std::span<const Match> matches, const std::vector<bool>& shifted,
                    bool wants_drift) {
    Problem made = make_problem(input, matches, shifted);
    made.problem.wants_drift = wants_drift;
    return fit_clocks(made.problem);
}

CohortClocks measure_cohort_clocks(const MatchInput& input, std::span<const Match> matches,
                                   const std::vector<bool>& shifted) {
    Problem made = make_problem(input, matches, shifted);
    CohortClocks clocks;
    clocks.fit = fit_clocks(made.problem);
    const std::int64_t unsure = join_parts(input, matches, clocks.fit);
    clocks.fit.width = width_of(clocks.fit);
    const ClockFit& fit = clocks.fit;
    if (!fit.any) {
        const bool may_be_shifted = std::ranges::find(shifted, true) != shifted.end();
        if (may_be_shifted) clocks.refused = "matches by order may be shifted";
        return clocks;
    }
    clocks.error = std::max({input.params.least_error, fit.residual_p90, unsure});
    clocks.recorded_error = std::max(clocks.error, fit.width / 2);
    clocks.refused = find_refusal(input, fit, clocks.error, take_middle(made.durations));
    clocks.measured = clocks.refused.empty();
    clocks.matters = clocks.measured && fit.width > kMattersTimes * fit.residual;
    if (!clocks.measured) clocks.error = clocks.recorded_error = kUnmeasuredError;
    return clocks;
}

}  // namespace core
