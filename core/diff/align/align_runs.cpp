#include "core/diff/align/align_runs.hpp"

#include "core/analysis/engine/lost_ranks.hpp"
#include "core/base/saturate.hpp"
#include "core/query/filter_edit.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core {
namespace {

std::vector<RankKey> collect_ranks(const Run& run) {
    std::vector<RankKey> keys;
    for (const RankSlot& rank : run.ranks()) keys.push_back(rank.key);
    return keys;
}

// Pairs items by equal key, or by position.
template <class Item, class KeyOf>
void pair_up(const BySide<std::vector<Item>>& items, bool by_key, KeyOf key_of, std::vector<BySide<Item>>& pairs,
             BySide<std::vector<Item>>& lone) {
    using Key = decltype(key_of(items.baseline.front()));
    std::map<Key, std::size_t> partners;
    for (std::size_t i = 0; i < items.candidate.size(); ++i) partners.emplace(key_of(items.candidate[i]), i);
    std::vector<bool> taken(items.candidate.size(), false);
    for (std::size_t i = 0; i < items.baseline.size(); ++i) {
        const auto it = by_key ? partners.find(key_of(items.baseline[i])) : partners.end();
        const std::size_t partner = !by_key ? i : it == partners.end() ? items.candidate.size() : it->second;
        if (partner >= items.candidate.size()) {
            lone.baseline.push_back(items.baseline[i]);
            continue;
        }
        taken[partner] = true;
        pairs.push_back({items.baseline[i], items.candidate[partner]});
    }
    for (std::size_t i = 0; i < items.candidate.size(); ++i) {
        if (!taken[i]) lone.candidate.push_back(items.candidate[i]);
    }
}

bool one_contains_other(const BySide<std::vector<StepBegin>>& steps) {
    BySide<std::set<std::int64_t>> numbers;
    for (const Side side : kSides) {
        for (const StepBegin& step : steps[side]) numbers[side].insert(step.number);
    }
    return std::ranges::includes(numbers.baseline, numbers.candidate) ||
           std::ranges::includes(numbers.candidate, numbers.baseline);
}

bool share_any(const BySide<std::vector<RankKey>>& ranks) {
    const auto in_candidate = [&](RankKey key) { return std::ranges::binary_search(ranks.candidate, key); };
    return ranks.baseline.empty() || ranks.candidate.empty() || std::ranges::any_of(ranks.baseline, in_candidate);
}

// The last step of a run may be cut short; a single step counts as complete.
bool is_complete(const StepBegin& step, const std::vector<StepBegin>& steps) {
    return steps.size() == 1 || step.number != steps.back().number;
}

void anchor_at(RunAlignment& alignment, const BySide<StepBegin>& pair) {
    alignment.anchor = {pair.baseline.begin, pair.candidate.begin};
    alignment.anchor_steps = BySide<std::int64_t>{pair.baseline.number, pair.candidate.number};
}

void choose_anchor(RunAlignment& alignment, const BySide<std::vector<StepBegin>>& steps) {
    const auto it = std::ranges::find_if(alignment.steps, [&](const BySide<StepBegin>& pair) {
        return is_complete(pair.baseline, steps.baseline) && is_complete(pair.candidate, steps.candidate);
    });
    if (it == alignment.steps.end()) return;
    anchor_at(alignment, *it);
}

// Maps baseline numbers to candidate numbers, plus one number that the candidate doesn't use.
struct NumberTranslation {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    std::int64_t unused = 0;

    void add(std::int64_t baseline, std::int64_t candidate) {
        pairs.emplace_back(baseline, candidate);
        add_lone(candidate);
    }
    void add_lone(std::int64_t candidate) { unused = std::max(unused, saturating_add(candidate, 1)); }

    // The candidate's numbers with chosen partners; the unused number if there are none.
    std::vector<NumberRange> of(const std::vector<NumberRange>& chosen) const {
        std::vector<NumberRange> numbers;
        for (const auto& [baseline, candidate] : pairs) {
            if (contains_number(chosen, baseline)) numbers.push_back({candidate, candidate});
        }
        if (numbers.empty()) numbers.push_back({unused, unused});
        return numbers;
    }
};

NumberTranslation translate_steps(const RunAlignment& alignment) {
    NumberTranslation steps;
    for (const BySide<StepBegin>& pair : alignment.steps) steps.add(pair.baseline.number, pair.candidate.number);
    for (const std::int64_t number : alignment.lone_steps.candidate) steps.add_lone(number);
    return steps;
}

NumberTranslation translate_ranks(const RunAlignment& alignment) {
    NumberTranslation ranks;
    std::set<std::int64_t> taken;
    for (const BySide<RankKey>& pair : alignment.ranks) {
        ranks.add(pair.baseline.number, pair.candidate.number);
        taken.insert(pair.baseline.number);
    }
    for (const RankKey key : alignment.lone_ranks.candidate) {  // as rank_in_filter
        if (taken.contains(key.number))
            ranks.add_lone(key.number);
        else
            ranks.add(key.number, key.number);
    }
    return ranks;
}

// Whether the filter takes a rank that is not left out, while some are.
bool takes_others(const RunAlignment& alignment, Side side, const Filter& filter) {
    const std::vector<RankKey>& out = alignment.left_out[side];
    const auto is_other = [&](RankKey key) {
        return filter.accepts_rank(key) && !std::ranges::binary_search(out, key);
    };
    if (out.empty()) return false;
    return std::ranges::any_of(alignment.lone_ranks[side], is_other) ||
           std::ranges::any_of(alignment.ranks, [&](const BySide<RankKey>& pair) { return is_other(pair[side]); });
}

}  // namespace

std::string_view name_of(Compares compares) {
    switch (compares) {
        case Compares::Captures:
            return "captures";
        case Compares::Ranks:
            return "ranks";
        case Compares::Steps:
            return "steps";
    }
    return {};
}

Filter RunAlignment::filter_for(Side side, const Filter& filter) const {
    Filter own = moved_in_time(filter, Duration{saturating_subtract(ns_of(anchor[side]), ns_of(origin[side]))});
    for (FilterTerm& term : own.terms) {
        if (side == Side::Baseline) continue;
        auto* const step = std::get_if<StepTerm>(&term.what);
        if (step && !step->complete && !steps_by_number) step->numbers = translate_steps(*this).of(step->numbers);
        auto* const last = std::get_if<LastTerm>(&term.what);
        auto* const rank = last ? &last->ranks : std::get_if<RankTerm>(&term.what);
        if (!rank || ranks_by_number) continue;
        rank->numbers = translate_ranks(*this).of(rank->numbers);
        std::vector<RankKey> captures;
        for (const RankKey key : rank->captures)
            if (const std::optional<RankKey> partner = partner_of_rank(Side::Baseline, key))
                captures.push_back(*partner);
        rank->captures = std::move(captures);
    }
    own.terms.insert(own.terms.end(), within[side].begin(), within[side].end());
    if (takes_others(*this, side, own)) own.terms.push_back({true, RankTerm{{}, left_out[side]}});
    return own;
}

void leave_out_lost(RunAlignment& alignment, const BySide<const Run*>& runs) {
    alignment.lost = {};
    alignment.left_out = {};
    for (const Side side : kSides)
        for (const LostRank& rank : lost_ranks_of(*runs[side])->ranks)
            alignment.lost[side].push_back(runs[side]->rank(rank.slot).key);
    for (const Side side : kSides) {
        for (const RankKey key : alignment.lost[side]) {
            alignment.left_out[side].push_back(key);
            if (const std::optional<RankKey> partner = alignment.partner_of_rank(side, key))
                alignment.left_out[other_side(side)].push_back(*partner);
        }
    }
    for (const Side side : kSides) {
        std::vector<RankKey>& keys = alignment.left_out[side];
        std::ranges::sort(keys);
        keys.erase(std::ranges::unique(keys).begin(), keys.end());
    }
}

std::optional<RankKey> RunAlignment::rank_in_filter(Side side, RankKey key) const {
    if (side == Side::Baseline || ranks_by_number) return key;
    if (const std::optional<RankKey> partner = partner_of_rank(side, key)) return partner;
    const auto has_number = [&](const BySide<RankKey>& pair) { return pair.baseline.number == key.number; };
    const bool is_lone = std::ranges::find(lone_ranks.candidate, key) != lone_ranks.candidate.end();
    if (!is_lone || std::ranges::any_of(ranks, has_number)) return std::nullopt;
    return key;
}

std::optional<RankKey> RunAlignment::partner_of_rank(Side from, RankKey key) const {
    const auto pair = std::ranges::find_if(ranks, [&](const BySide<RankKey>& both) { return both[from] == key; });
    return pair == ranks.end() ? std::nullopt : std::optional((*pair)[other_side(from)]);
}

std::optional<std::int64_t> RunAlignment::partner_of_step(Side from, std::int64_t number) const {
    const auto is_it = [&](const BySide<StepBegin>& both) { return both[from].number == number; };
    const auto pair = std::ranges::find_if(steps, is_it);
    return pair == steps.end() ? std::nullopt : std::optional((*pair)[other_side(from)].number);
}

RunTime RunAlignment::across(Side from, RunTime moment) const {
    const Side to = other_side(from);
    return run_time(saturating_add(ns_of(anchor[to]), saturating_subtract(ns_of(moment), ns_of(anchor[from]))));
}

std::vector<StepBegin> collect_steps(const Run& run, std::span<const RankKey> ranks) {
    const std::set<RankKey> chosen(ranks.begin(), ranks.end());
    std::map<std::int64_t, RunTime> begins;
    for (const RankSlot& rank : run.ranks()) {
        if (!chosen.empty() && !chosen.contains(rank.key)) continue;
        for (const Step& step : rank.trace().steps) {
            const RunTime begin = rank.to_run(step.range.begin);
            const auto [it, fresh] = begins.try_emplace(step.number, begin);
            if (!fresh) it->second = std::min(it->second, begin);
        }
    }
    std::vector<StepBegin> steps;
    for (const auto& [number, begin] : begins) steps.push_back({number, begin});
    std::ranges::stable_sort(steps, {}, &StepBegin::begin);
    return steps;
}

RunAlignment align_runs(const Run& baseline, const Run& candidate) { return align_runs(baseline, candidate, {}); }

RunAlignment align_runs(const Run& baseline, const Run& candidate, const BySide<std::vector<RankKey>>& of_steps) {
    RunAlignment alignment;
    alignment.origin = {baseline.origin(), candidate.origin()};
    alignment.anchor = alignment.origin;
    const BySide<std::vector<StepBegin>> steps{collect_steps(baseline, of_steps.baseline),
                                               collect_steps(candidate, of_steps.candidate)};
    const BySide<std::vector<RankKey>> ranks{collect_ranks(baseline), collect_ranks(candidate)};
    alignment.steps_by_number = one_contains_other(steps);
    alignment.ranks_by_number = share_any(ranks);
    BySide<std::vector<StepBegin>> lone;
    pair_up(
        steps, alignment.steps_by_number, [](const StepBegin& step) { return step.number; }, alignment.steps, lone);
    pair_up(
        ranks, alignment.ranks_by_number, [](RankKey key) { return key; }, alignment.ranks, alignment.lone_ranks);
    for (const Side side : kSides) {
        for (const StepBegin& step : lone[side]) alignment.lone_steps[side].push_back(step.number);
    }
    choose_anchor(alignment, steps);
    leave_out_lost(alignment, {&baseline, &candidate});
    return alignment;
}

RunAlignment anchored_at(RunAlignment alignment, const BySide<RunTime>& moments) {
    alignment.anchor = moments;
    alignment.anchor_steps.reset();
    return alignment;
}

std::optional<RunAlignment> anchored_at_step(RunAlignment alignment, std::int64_t baseline_number) {
    for (const BySide<StepBegin>& pair : alignment.steps) {
        if (pair.baseline.number != baseline_number) continue;
        anchor_at(alignment, BySide<StepBegin>(pair));
        return alignment;
    }
    return std::nullopt;
}

RunAlignment anchored_at_origins(RunAlignment alignment) {
    const BySide<RunTime> origin = alignment.origin;
    return anchored_at(std::move(alignment), origin);
}

}  // namespace core
