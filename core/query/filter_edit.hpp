#pragma once
// Changes to a filter as choices make them: one term per kind, replaced where it stands. Terms that were typed
// with a minus are left alone.

#include "core/query/filter.hpp"

#include <algorithm>

namespace core {

// The first term of its kind that is not negated; null if there is none.
template <class Term>
const Term* find_term(const Filter& filter) {
    for (const FilterTerm& term : filter.terms) {
        if (const Term* found = std::get_if<Term>(&term.what); found && !term.negated) return found;
    }
    return nullptr;
}

template <class Term>
Filter without_term(Filter filter) {
    std::erase_if(filter.terms,
                  [](const FilterTerm& term) { return !term.negated && std::holds_alternative<Term>(term.what); });
    return filter;
}

// In the place of the first of its kind, else at the end; others of its kind go.
template <class Term>
Filter with_term(const Filter& filter, Term term) {
    const auto is_of_kind = [](const FilterTerm& t) { return !t.negated && std::holds_alternative<Term>(t.what); };
    const auto place = std::ranges::find_if(filter.terms, is_of_kind) - filter.terms.begin();
    Filter changed = without_term<Term>(filter);
    changed.terms.insert(changed.terms.begin() + place, FilterTerm{false, std::move(term)});
    return changed;
}

// The same moments counted from `by` earlier: every time term moves later by that much, as far as numbers go.
Filter moved_in_time(Filter, Duration by);

// Rising numbers as ranges: {0, 1, 2, 8} → 0-2, 8. Numbers that follow each other in `known` make one range, so that
// steps 10, 20, 30 of a run without others are 10-30.
std::vector<NumberRange> ranges_of(std::span<const std::int64_t> numbers, std::span<const std::int64_t> known);

}  // namespace core
