#include "ui/table/kept_rows.hpp"

#include <algorithm>

namespace ui {
namespace {

using Kinds = std::uint32_t;

Kinds kind_of(const core::FilterTerm& term) { return term.negated ? 0 : Kinds{1} << term.what.index(); }

core::Filter terms_of(const core::Filter& filter, Kinds kinds) {
    core::Filter of;
    for (const core::FilterTerm& term : filter.terms)
        if ((kind_of(term) & kinds) != 0) of.terms.push_back(term);
    return of;
}

Kinds kinds_of(const RowFacets& facets) {
    Kinds kinds = 0;
    for (const core::FilterTerm& term : narrowed_to({}, facets).terms) kinds |= kind_of(term);
    return kinds;
}

Kinds kinds_in(const core::Filter& filter) {
    Kinds kinds = 0;
    for (const core::FilterTerm& term : filter.terms) kinds |= kind_of(term);
    return kinds;
}

bool same_facets(const RowFacets& a, const RowFacets& b) { return narrowed_to({}, a) == narrowed_to({}, b); }

struct Accepts {
    const RowFacets& row;
    std::optional<core::ClassSet> classes;
    bool operator()(const core::RankTerm& term) const { return row.rank && term.accepts(*row.rank); }
    bool operator()(const core::StepTerm& term) const {
        return row.step && !term.complete && core::contains_number(term.numbers, *row.step);
    }
    bool operator()(const core::StreamTerm& term) const {
        return row.stream && core::contains_number(term.numbers, *row.stream);
    }
    bool operator()(const core::ClassTerm& term) const {
        const std::optional<core::ClassSet> of = row.classes ? row.classes : classes;
        return of && (*of & ~term.classes) == 0;
    }
    bool operator()(const core::NameTerm& term) const {
        return row.name && *row.name == term.text && row.name_is_pattern == term.is_regex;
    }
    bool operator()(const core::GroupTerm& term) const { return row.group && *row.group == term.text; }
    template <class Other>
    bool operator()(const Other&) const {
        return true;
    }
};

}  // namespace

bool KeptRows::is_in_force(const core::Filter& now) const { return kinds_ != 0 && terms_of(now, kinds_) == after_; }

core::Filter KeptRows::filter_for(const core::Filter& now) const {
    if (!is_in_force(now)) return now;
    core::Filter rest = now;
    std::erase_if(rest.terms, [&](const core::FilterTerm& term) { return (kind_of(term) & kinds_) != 0; });
    core::Filter rest_before = before_;
    std::erase_if(rest_before.terms, [&](const core::FilterTerm& term) { return (kind_of(term) & kinds_) != 0; });
    if (rest == rest_before) return before_;  // keeps its order, so that its answer is still cached
    for (const core::FilterTerm& term : terms_of(before_, kinds_).terms) rest.terms.push_back(term);
    return rest;
}

std::optional<core::Filter> KeptRows::filter_before_click(const core::Filter& now) const {
    if (!is_in_force(now)) return std::nullopt;
    return filter_for(now);
}

core::Filter KeptRows::click(const core::Filter& now, const RowFacets& facets, Click how) {
    const bool in_force = is_in_force(now);
    if (in_force && how == Click::Replace && same_facets(facets, clicked_)) {
        core::Filter restored = filter_for(now);
        end();
        return restored;
    }
    core::Filter chosen = with_facets(now, facets, how);
    Kinds kinds = kinds_of(facets);
    if (in_force) {
        before_ = filter_for(now);
        kinds |= kinds_;
    } else {
        before_ = now;
    }
    clicked_ = facets;
    if ((kinds_in(chosen) & kinds) == 0)  // removed from the filter: the table follows it
        kinds = 0;
    kinds_ = kinds;
    after_ = terms_of(chosen, kinds);
    return chosen;
}

bool KeptRows::marks(const core::Filter& now, const RowFacets& facets, std::optional<core::ClassSet> classes) const {
    if (!is_in_force(now)) return false;
    return std::ranges::all_of(after_.terms, [&](const core::FilterTerm& term) {
        return std::visit(Accepts{facets, classes}, term.what);
    });
}

std::optional<core::ClassSet> class_of_row(const core::Table& table, std::size_t row) {
    for (std::size_t c = 0; c < table.columns().size(); ++c)
        if (table.columns()[c].facet == core::Facet::Class) {
            const std::size_t column[] = {c};
            return facets_of(table, row, column).classes;
        }
    return std::nullopt;
}

}  // namespace ui
