#include "core/query/filter.hpp"

#include "core/base/saturate.hpp"

#include <algorithm>

namespace core {
namespace {

RunTime moved(RunTime origin, Duration by) { return run_time(saturating_add(ns_of(origin), by.count())); }

}  // namespace

bool contains_number(std::span<const NumberRange> ranges, std::int64_t number) {
    return std::ranges::any_of(ranges, [&](const NumberRange& r) { return r.first <= number && number <= r.last; });
}

bool RankTerm::accepts(RankKey key) const {
    return contains_number(numbers, key.number) || std::ranges::find(captures, key) != captures.end();
}

RankTerm rank_term(RankKey key) {
    if (key.capture > 0) return {{}, {key}};
    return {{{key.number, key.number}}, {}};
}

NumberSet::NumberSet(std::span<const NumberRange> ranges) {
    std::vector<NumberRange> rising(ranges.begin(), ranges.end());
    std::ranges::sort(rising, {}, &NumberRange::first);
    for (const NumberRange& range : rising) {
        if (!sorted_.empty() && range.first <= sorted_.back().last)
            sorted_.back().last = std::max(sorted_.back().last, range.last);
        else
            sorted_.push_back(range);
    }
}

bool NumberSet::contains(std::int64_t number) const {
    const auto next = std::ranges::upper_bound(sorted_, number, {}, &NumberRange::first);
    return next != sorted_.begin() && number <= std::prev(next)->last;
}

bool Filter::accepts_rank(RankKey key) const {
    return std::ranges::all_of(terms, [&](const FilterTerm& term) {
        if (const auto* rank = std::get_if<RankTerm>(&term.what)) return rank->accepts(key) != term.negated;
        const auto* capture = std::get_if<CaptureTerm>(&term.what);
        return !capture || std::ranges::binary_search(capture->captures, key.capture) != term.negated;
    });
}

std::optional<RunRange> Filter::time_range(const Run& run) const {
    std::optional<RunRange> range;
    const RunRange all{run.window().begin, moved(run.window().end, Duration{1})};
    for (const FilterTerm& term : terms) {
        const auto* time = std::get_if<TimeTerm>(&term.what);
        if (!time || term.negated) continue;
        if (!range) range = RunRange{RunTime::min(), RunTime::max()};
        range->begin = std::max(range->begin, time->begin ? moved(run.origin(), *time->begin) : all.begin);
        range->end = std::min(range->end, time->end ? moved(run.origin(), *time->end) : all.end);
    }
    if (range && range->empty()) range->end = range->begin;
    return range;
}

bool chooses_work(const FilterTerm& term) {
    return std::holds_alternative<StepTerm>(term.what) || std::holds_alternative<StreamTerm>(term.what);
}

bool chooses_some_events(const FilterTerm& term) {
    return !chooses_work(term) && !std::holds_alternative<RankTerm>(term.what) &&
           !std::holds_alternative<CaptureTerm>(term.what) && !std::holds_alternative<TimeTerm>(term.what) &&
           !std::holds_alternative<ClassTerm>(term.what);
}

bool Filter::chooses_some_events() const { return std::ranges::any_of(terms, core::chooses_some_events); }

bool Filter::chooses_work() const { return std::ranges::any_of(terms, core::chooses_work); }

bool Filter::needs_matches() const {
    return std::ranges::any_of(terms, [](const FilterTerm& term) {
        return std::holds_alternative<GroupTerm>(term.what) || std::holds_alternative<CollectiveTerm>(term.what) ||
               std::holds_alternative<WaitTerm>(term.what) || std::holds_alternative<LastTerm>(term.what) ||
               std::holds_alternative<MatchedTerm>(term.what);
    });
}

Filter Filter::without_time_and_rank() const {
    Filter rest;
    std::ranges::copy_if(terms, std::back_inserter(rest.terms), [](const FilterTerm& term) {
        return !std::holds_alternative<TimeTerm>(term.what) && !std::holds_alternative<RankTerm>(term.what) &&
               !std::holds_alternative<CaptureTerm>(term.what);
    });
    return rest;
}

}  // namespace core
