#include "core/collectives/matched_run.hpp"

#include "core/collectives/match_keys.hpp"
#include "core/collectives/run_matcher.hpp"
#include "core/collectives/waits.hpp"

namespace core {

std::vector<RankMembers> collect_ranks(const Run& run) {
    std::vector<RankMembers> ranks(run.ranks().size());
    std::optional<std::int64_t> base;
    for (std::size_t slot = 0; slot < ranks.size(); ++slot) {
        const RankSlot& from = run.rank(slot);
        RankMembers& rank = ranks[slot];
        rank.rank = from.key.number;
        rank.events = from.index->members().events();
        rank.world_size = from.trace().info.world_size.value_or(0);
        for (const Step& step : from.trace().steps) rank.steps.push_back(step.number);
        const RankRange work = from.index->gpu_window();
        if (work.empty()) continue;
        const std::int64_t begin = ns_of(run.recorded_clock(slot).to_run(work.begin));
        base = base ? std::min(*base, begin) : begin;
    }
    for (std::size_t slot = 0; slot < ranks.size(); ++slot) {
        RankMembers& rank = ranks[slot];
        const std::int64_t offset = run.recorded_clock(slot).offset.count();
        if (__builtin_sub_overflow(offset, base.value_or(0), &rank.shift)) rank.shift = 0;
        const RankRange work = run.rank(slot).index->gpu_window();
        rank.work_begin = rank.moved(ns_of(work.begin));
        rank.work_end = rank.moved(ns_of(work.end));
    }
    return ranks;
}

MatchedRunPtr match_run(const Run& run, const MatchParams& params) { return RunMatcher().match(run, params); }

MatchedRunPtr RunMatcher::match(const Run& run, const MatchParams& params) {
    MatchedRun unmatched;
    unmatched.params = params;
    unmatched.ranks = collect_ranks(run);
    std::vector<SlotKeys> keys;
    std::vector<const RankGroups*> groups;
    for (const RankSlot& rank : run.ranks()) {
        unmatched.indexes.push_back(rank.index);
        const KnownRank& known = find_rank(rank);
        keys.push_back({.keys = known.keys, .members = {}});
        groups.push_back(&known.groups);
    }
    unmatched.groups = groups_.collect(run, groups, unmatched.ranks);
    OwnMatches own({.slots = keys, .kinds = keys_.kinds()});
    return match_members(std::move(unmatched), own);
}

const RunMatcher::KnownRank& RunMatcher::find_rank(const RankSlot& rank) {
    const auto [it, is_new] = known_.try_emplace({rank.index.get(), rank.key.number});
    KnownRank& known = it->second;
    if (!is_new) return known;
    known.index = rank.index;
    known.groups = groups_.read(rank);
    known.keys = keys_.number(rank.key.number, rank.index->members().events(), known.groups.groups);
    return known;
}

namespace {

// Member tables of whole ranks are those of the thin ones, but for the numbers of events.
MatchedRunPtr with_members_of(const Run& run, const MatchedRun& summary) {
    auto own = std::make_shared<MatchedRun>(summary);
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankIndexPtr& index = run.rank(slot).index;
        if (index == own->indexes[slot]) continue;
        own->indexes[slot] = index;
        own->ranks[slot].events = index->members().events();
    }
    return own;
}

}  // namespace

MatchedRunPtr matched(const Run& run) {
    return run.derived().get<MatchedRun>(
        [&] { return run.summary() ? with_members_of(run, *matched(*run.summary())) : match_run(run); });
}

WaitsPtr measure_waits(const Run& run) { return measure_waits(run, matched(run)); }

WaitsPtr measure_waits(const Run& run, const MatchedRunPtr& matches) {
    std::vector<bool> aligned(matches->cohorts.size(), false);
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot)
        if (run.rank(slot).recorded) aligned[matches->places[slot].cohort] = true;
    return measure_waits(matches, aligned);
}

WaitsPtr waits_of(const Run& run) {
    return run.derived().get<Waits>([&]() -> WaitsPtr {
        if (!run.summary()) return measure_waits(run);
        auto own = std::make_shared<Waits>(*waits_of(*run.summary()));
        own->matched = matched(run);
        return own;
    });
}

}  // namespace core
