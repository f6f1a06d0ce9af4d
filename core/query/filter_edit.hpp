#pragma once
// Edits of a filter by choices: one term per kind, replaced in place. Terms negated with a minus
// stay.

#include "core/query/filter.hpp"

#include <algorithm>

namespace core {

// The first term of this kind that isn't negated, or null.
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

// Replaces the first term of this kind, or appends; removes others of the kind.
template <class Term>
Filter with_term(const Filter& filter, Term term) {
    const auto is_of_kind = [](const FilterTerm& t) { return !t.negated && std::holds_alternative<Term>(t.what); };
    const auto place = std::ranges::find_if(filter.terms, is_of_kind) - filter.terms.begin();
    Filter changed = without_term<Term>(filter);
    changed.terms.insert(changed.terms.begin() + place, FilterTerm{false, std::move(term)});
    return changed;
}

// The same times counted from an origin `by` earlier: shifts every time term later, saturating.
Filter moved_in_time(Filter, Duration by);

// Sorted numbers as ranges: {0, 1, 2, 8} → 0-2, 8. Numbers adjacent in `known` join, so steps 10,
// 20, 30 of a run without other steps become 10-30.
std::vector<NumberRange> ranges_of(std::span<const std::int64_t> numbers, std::span<const std::int64_t> known);

}  // namespace core
