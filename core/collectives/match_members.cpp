#include "core/collectives/matched_run.hpp"

#include "core/collectives/check_matches.hpp"
#include "core/collectives/cohort_clocks.hpp"
#include "core/collectives/match_order.hpp"

#include <algorithm>
#include <tuple>

namespace core {
namespace {

class CohortMatcher {
public:
    CohortMatcher(const MatchInput& input, std::uint32_t cohort, KeyedMatches& keyed)
        : input_(input), cohort_(cohort), keyed_(keyed) {}

    // Matches and clocks of one cohort (§ order: from the end, on the clocks measured so far, twice).
    std::vector<Match> run(CohortClocks& clocks) {
        std::vector<Match> matches;
        OrderedMembers rest;
        keyed_.find(input_, cohort_, matches, rest);
        release_lone_replays(matches, rest);
        const std::size_t keyed = matches.size();
        const bool has_rest = std::ranges::any_of(rest, [](const auto& list) { return !list.empty(); });
        if (has_rest) {
            ClockFit fit = begin_clocks(matches);
            for (int round = 0; round < 2; ++round) {
                matches.resize(keyed);
                std::vector<Match> ordered = match_by_order(input_, rest, to_true(fit));
                std::ranges::move(ordered, std::back_inserter(matches));
                if (round == 0) fit = fit_offsets(matches, fit);
            }
        }
        clocks = measure_cohort_clocks(input_, matches, shifted_);
        return matches;
    }

    const std::vector<bool>& shifted() const { return shifted_; }

private:
    // A replay that no other rank has in its step may be of another step there: the order places it.
    void release_lone_replays(std::vector<Match>& matches, OrderedMembers& rest) const {
        const std::vector<std::uint32_t>& slots = input_.cohort->slots;
        std::erase_if(matches, [&](const Match& match) {
            if (match.by != MatchedBy::Replay || match.members.size() > 1) return false;
            const MemberRef ref = match.members.front();
            const auto place = std::ranges::find(slots, ref.slot) - slots.begin();
            rest[static_cast<std::size_t>(place)].push_back(ref.index);
            return true;
        });
        for (std::vector<std::uint32_t>& own : rest) std::ranges::sort(own);
    }

    static ToTrue to_true(const ClockFit& fit) {
        return [&fit](std::uint32_t place, std::int64_t t) { return fit.ranks[place].to_true(t); };
    }

    ClockFit begin_clocks(std::span<const Match> matches) {
        ClockFit fit = fit_cohort(input_, matches, {}, false);
        const bool measured = fit.any && std::ranges::all_of(fit.ranks, [](const MeasuredClock& clock) {
                                  return clock.collectives > 0 && clock.part == 0;
                              });
        if (measured) return fit;
        const ClockGuess guess = guess_clocks(input_);
        shifted_ = guess.may_be_shifted;
        fit.ranks.assign(guess.offset.size(), {});
        for (std::size_t place = 0; place < guess.offset.size(); ++place) fit.ranks[place].offset = guess.offset[place];
        return fit;
    }

    // A rank that took part in nothing keeps its clock.
    ClockFit fit_offsets(std::span<const Match> matches, const ClockFit& before) {
        ClockFit fit = fit_cohort(input_, matches, shifted_, false);
        for (std::size_t place = 0; place < fit.ranks.size(); ++place)
            if (fit.ranks[place].collectives == 0) fit.ranks[place] = before.ranks[place];
        return fit;
    }

    const MatchInput& input_;
    std::uint32_t cohort_;
    KeyedMatches& keyed_;
    std::vector<bool> shifted_;
};

constexpr std::int64_t kHostsApart = 10'000'000;  // ns: clocks of several hosts that nothing compares

bool names_several_hosts(const MatchedRun& run, const Cohort& cohort) {
    std::string_view host;
    for (const std::uint32_t slot : cohort.slots) {
        if (slot >= run.indexes.size()) return false;
        const std::string_view own = run.indexes[slot]->trace().info.host;
        if (!host.empty() && !own.empty() && own != host) return true;
        if (!own.empty()) host = own;
    }
    return false;
}

}  // namespace

std::optional<std::int64_t> MatchedRun::step_of(const Collective& c) const {
    std::optional<std::int64_t> step;
    for (const MemberRef ref : members_of(c)) {
        const MemberEvent& own = member(ref);
        if (own.step == kNoStep) return std::nullopt;
        const std::int64_t number = ranks[ref.slot].steps[own.step];
        if (step && *step != number) return std::nullopt;
        step = number;
    }
    return step;
}

std::optional<std::uint32_t> MatchedRun::find_root(const Collective& c) const {
    if (!has_root(c.operation)) return std::nullopt;
    std::int32_t stated = kNoPeer;
    for (const MemberRef ref : members_of(c)) {
        const std::int32_t one = member(ref).peer;
        if (one != kNoPeer && stated != kNoPeer && one != stated) return std::nullopt;
        if (one != kNoPeer) stated = one;
    }
    if (stated == kNoPeer) return std::nullopt;
    const RunGroup& group = groups[c.group];
    std::int32_t root = stated;
    if (!group.members.empty()) {
        if (static_cast<std::size_t>(stated) >= group.members.size()) return std::nullopt;
        root = group.members[static_cast<std::size_t>(stated)];
    } else if (c.group != 0 && (group.size == 0 || group.size != cohorts[c.cohort].world_size)) {
        return std::nullopt;
    }
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i)
        if (ranks[members[i].slot].rank == root) return i;
    return std::nullopt;
}

std::optional<MemberRef> MatchedRun::find_member(EventRef ref) const {
    if (ref.slot >= ranks.size()) return std::nullopt;
    const std::span<const MemberEvent> events = ranks[ref.slot].events;
    const auto it = std::ranges::find(events, ref.event, &MemberEvent::event);
    if (it == events.end()) return std::nullopt;
    return MemberRef{ref.slot, static_cast<std::uint32_t>(it - events.begin())};
}

std::size_t MatchedRun::resident_bytes() const {
    return members.size() * sizeof(MemberRef) + collectives.size() * sizeof(Collective) +
           missing_slots.size() * sizeof(std::uint32_t) + of_member_.size() * sizeof(std::uint32_t);
}

MatchedRunPtr match_members(MatchedRun run) {
    KeyBook book;
    std::vector<std::vector<std::uint32_t>> keys;
    for (const RankMembers& rank : run.ranks)
        keys.push_back(book.number(rank.rank, rank.events, collect_key_groups(rank, run.groups)));
    std::vector<SlotKeys> slots;
    for (const std::vector<std::uint32_t>& own : keys) slots.push_back({.keys = own, .members = {}});
    OwnMatches own({.slots = slots, .kinds = book.kinds()});
    return match_members(std::move(run), own);
}

MatchedRunPtr match_members(MatchedRun run, KeyedMatches& keyed) {
    const auto result = std::make_shared<MatchedRun>(std::move(run));
    result->cohorts = find_cohorts(result->ranks);
    result->clocks.resize(result->cohorts.size());
    result->places.resize(result->ranks.size());
    for (std::uint32_t s = 0; s < result->cohorts.size(); ++s) {
        const Cohort& cohort = result->cohorts[s];
        for (std::uint32_t place = 0; place < cohort.slots.size(); ++place)
            result->places[cohort.slots[place]] = {s, place};
        const MatchInput input{
            .ranks = result->ranks, .groups = result->groups, .cohort = &cohort, .params = result->params};
        CohortMatcher matcher(input, s, keyed);
        const std::vector<Match> matches = matcher.run(result->clocks[s]);
        CohortClocks& clocks = result->clocks[s];
        if (!clocks.measured && names_several_hosts(*result, cohort))
            clocks.error = clocks.recorded_error = kHostsApart;
        add_collectives(input, s, matches, matcher.shifted(), keyed, *result);
    }
    result->number_members();
    return result;
}

void MatchedRun::number_members() {
    std::uint32_t count = 0;
    for (const RankMembers& rank : ranks) {
        first_of_slot_.push_back(count);
        count += static_cast<std::uint32_t>(rank.events.size());
    }
    of_member_.assign(count, 0);
    for (std::uint32_t c = 0; c < collectives.size(); ++c)
        for (const MemberRef ref : members_of(collectives[c])) of_member_[first_of_slot_[ref.slot] + ref.index] = c;
}

}  // namespace core
