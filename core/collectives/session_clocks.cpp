#include "core/collectives/session_clocks.hpp"

#include "core/collectives/check_matches.hpp"

namespace core {
namespace {

constexpr std::int64_t kLeastError = 2'000;         // ns
constexpr std::int64_t kUnmeasuredError = 50'000;   // ns: clocks of one host
constexpr std::int64_t kWorstError = 1'000'000;     // ns: larger than this and than half a transfer is refused
constexpr std::uint32_t kLeastCollectives = 4;      // on every rank
constexpr std::int64_t kMattersTimes = 4;

struct Problem {
    ClockProblem problem;
    std::vector<std::int64_t> durations;  // shortest members: what a transfer takes at most
};

std::uint32_t place_of(const MatchInput& input, std::uint32_t slot) {
    const std::vector<std::uint32_t>& slots = input.session->slots;
    return static_cast<std::uint32_t>(std::ranges::lower_bound(slots, slot) - slots.begin());
}

bool is_evidence(const MatchInput& input, const Match& match, const std::vector<bool>& shifted) {
    if (match.members.size() < 2 || match.by == MatchedBy::Pair) return false;
    for (const MemberRef ref : match.members)
        if (input.ranks[ref.slot].events[ref.index].parts > 1) return false;
    return waits_for_last(operation_of(input, match)) && find_doubts(input, match, shifted) == 0;
}

Problem make_problem(const MatchInput& input, std::span<const Match> matches, const std::vector<bool>& shifted) {
    Problem made;
    ClockProblem& problem = made.problem;
    problem.ranks = static_cast<std::uint32_t>(input.session->slots.size());
    for (const Match& match : matches) {
        if (!is_evidence(input, match, shifted)) continue;
        ClockEvidence evidence;
        evidence.first = static_cast<std::uint32_t>(problem.samples.size());
        evidence.count = static_cast<std::uint32_t>(match.members.size());
        evidence.together = ends_together(operation_of(input, match));
        evidence.shortest = std::numeric_limits<std::int64_t>::max();
        for (const MemberRef ref : match.members) {
            const RankMembers& rank = input.ranks[ref.slot];
            const ClockSample sample{place_of(input, ref.slot), rank.start(ref.index), rank.end(ref.index)};
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
        if (fit.ranks[place].collectives < kLeastCollectives)
            return "fewer than 4 usable collectives on rank " +
                   std::to_string(input.ranks[input.session->slots[place]].rank);
    if (error > kWorstError && error > transfer / 2) return "members leave too far apart";
    return "";
}

}  // namespace

ClockFit fit_session(const MatchInput& input, std::span<const Match> matches, const std::vector<bool>& shifted,
                     bool wants_drift) {
    Problem made = make_problem(input, matches, shifted);
    made.problem.wants_drift = wants_drift;
    return fit_clocks(made.problem);
}

SessionClocks measure_session_clocks(const MatchInput& input, std::span<const Match> matches,
                                     const std::vector<bool>& shifted) {
    Problem made = make_problem(input, matches, shifted);
    SessionClocks clocks;
    clocks.fit = fit_clocks(made.problem);
    const ClockFit& fit = clocks.fit;
    if (!fit.any) {
        const bool may_be_shifted = std::ranges::find(shifted, true) != shifted.end();
        if (may_be_shifted) clocks.refused = "matches by order may be shifted";
        return clocks;
    }
    clocks.error = std::max(kLeastError, fit.residual_p90);
    clocks.recorded_error = std::max(clocks.error, fit.width / 2);
    clocks.refused = find_refusal(input, fit, clocks.error, take_middle(made.durations));
    clocks.measured = clocks.refused.empty();
    clocks.matters = clocks.measured && fit.width > kMattersTimes * fit.residual;
    if (!clocks.measured) clocks.error = clocks.recorded_error = kUnmeasuredError;
    return clocks;
}

}  // namespace core
