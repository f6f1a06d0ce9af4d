#include "ui/model/row_facets.hpp"

#include "core/index/rank_count.hpp"
#include "core/query/filter_edit.hpp"
#include "core/session/paged_run.hpp"

#include <algorithm>

namespace ui {
namespace {

using core::Facet;
using core::Unit;

// True for "(unattributed)", which isn't a name; false for "(anonymous namespace)::f".
bool is_bracketed(std::string_view name) {
    return name.starts_with('(') && name.find_first_of(")(", 1) == name.size() - 1;
}

std::optional<core::ClassSet> find_classes(std::string_view name) {
    for (unsigned set = 1; set < core::kClassSets; ++set)
        if (core::name_of_set(static_cast<core::ClassSet>(set)) == name) return static_cast<core::ClassSet>(set);
    return std::nullopt;
}

void add_text(RowFacets& facets, Facet facet, std::string_view text) {
    if (text.empty() || is_bracketed(text)) return;
    if (facet == Facet::Class) facets.classes = find_classes(text);
    if (facet == Facet::Group) facets.group = text;
    // A kernel is more specific than the operator in the same row.
    if (facet == Facet::Kernel || (facet == Facet::Operator && !facets.name)) facets.name = text;
}

void add_number(RowFacets& facets, Facet facet, std::int64_t number) {
    if (facet == Facet::Rank) facets.rank = core::RankKey::unpacked(number);
    if (facet == Facet::Step) facets.step = number;
    if (facet == Facet::Stream) facets.stream = number;
}

core::NumberRange only(std::int64_t number) { return {number, number}; }

core::Filter without_all(core::Filter filter, const RowFacets& facets) {
    if (facets.rank) filter = core::without_term<core::RankTerm>(std::move(filter));
    if (facets.step) filter = core::without_term<core::StepTerm>(std::move(filter));
    if (facets.stream) filter = core::without_term<core::StreamTerm>(std::move(filter));
    if (facets.classes) filter = core::without_term<core::ClassTerm>(std::move(filter));
    if (facets.name) filter = core::without_term<core::NameTerm>(std::move(filter));
    if (facets.group) filter = core::without_term<core::GroupTerm>(std::move(filter));
    return filter;
}

std::optional<core::RankKey> find_rank(const core::Table& table, std::size_t row) {
    for (const std::size_t c : key_columns_of(table))
        if (table.columns()[c].unit == Unit::Rank && !table.absent(row, c))
            return core::RankKey::unpacked(table.integer(row, c));
    return std::nullopt;
}

std::optional<std::int64_t> find_event_number(const core::Table& table, std::size_t row, core::Role role) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const core::Column& column = table.columns()[c];
        if (column.unit == Unit::Event && column.role == role && !table.absent(row, c)) return table.integer(row, c);
    }
    return std::nullopt;
}

core::Error no_partner(const std::string& what) {
    return {core::ErrorCode::NotFound,
            what + " of the candidate has no counterpart in the baseline, whose numbers the filter uses"};
}

}  // namespace

std::vector<std::size_t> key_columns_of(const core::Table& table) {
    std::vector<std::size_t> keys;
    for (std::size_t c = 0; c < table.columns().size(); ++c)
        if (table.columns()[c].role == core::Role::Key) keys.push_back(c);
    return keys;
}

RowFacets facets_of(const core::Table& table, std::size_t row, std::span<const std::size_t> columns) {
    RowFacets facets;
    for (const std::size_t c : columns) {
        if (table.absent(row, c)) continue;
        const core::Column& column = table.columns()[c];
        if (column.unit == Unit::Text)
            add_text(facets, column.facet, table.text(row, c));
        else if (core::is_integer(column.unit))
            add_number(facets, column.facet, table.integer(row, c));
    }
    if (facets.name) facets.classes.reset();
    return facets;
}

RowFacets facets_of(const core::Table& table, std::size_t row) { return facets_of(table, row, key_columns_of(table)); }

core::Filter narrowed_to(core::Filter filter, const RowFacets& facets) {
    if (facets.rank) filter = core::with_term(filter, core::rank_term(*facets.rank));
    if (facets.step) filter = core::with_term(filter, core::StepTerm{false, {only(*facets.step)}});
    if (facets.stream) filter = core::with_term(filter, core::StreamTerm{{only(*facets.stream)}});
    if (facets.classes) filter = core::with_term(filter, core::ClassTerm{*facets.classes});
    if (facets.name) filter = core::with_term(filter, core::NameTerm{*facets.name, facets.name_is_pattern});
    if (facets.group) filter = core::with_term(filter, core::GroupTerm{*facets.group});
    return filter;
}

core::Filter with_facets(core::Filter filter, const RowFacets& facets, Click click) {
    const int terms = facets.rank.has_value() + facets.step.has_value() + facets.stream.has_value() +
                      facets.classes.has_value() + facets.name.has_value() + facets.group.has_value();
    if (terms == 1 && click == Click::Add) {
        if (facets.rank) return with_rank(std::move(filter), *facets.rank, click);
        if (facets.step) return with_step(std::move(filter), *facets.step, click);
        if (facets.stream) return with_stream(std::move(filter), *facets.stream, click);
        if (facets.classes) return with_class(std::move(filter), *facets.classes, click);
    }
    core::Filter chosen = narrowed_to(filter, facets);
    return chosen == filter ? without_all(std::move(filter), facets) : chosen;
}

core::Result<RowFacets> with_names(RowFacets facets, const core::BySide<std::vector<std::string>>& of_sides) {
    std::vector<std::string> names = of_sides.baseline;
    names.insert(names.end(), of_sides.candidate.begin(), of_sides.candidate.end());
    if (names.empty()) return facets;
    core::Result<core::NameTerm> term = term_for_names(std::move(names));
    if (!term) return std::move(term).error();
    facets.name = std::move(term->text);
    facets.name_is_pattern = term->is_regex;
    return facets;
}

core::Result<RowFacets> named_by_baseline(RowFacets facets, const core::RunAlignment* alignment, core::Side side) {
    if (facets.rank) {
        const std::optional<core::RankKey> named = find_named_rank(alignment, side, *facets.rank);
        if (!named) return no_partner("rank " + core::format_rank(*facets.rank));
        facets.rank = named;
    }
    if (facets.step) {
        const std::optional<std::int64_t> named = find_named_step(alignment, side, *facets.step);
        if (!named) return no_partner("step " + std::to_string(*facets.step));
        facets.step = named;
    }
    return facets;
}

core::EventRef event_of(const core::Run& run, const core::Table& table, std::size_t row) {
    return core::find_told_event(run, find_rank(table, row), find_event_number(table, row, core::Role::Key));
}

core::EventRef mentioned_event_of(const core::Run& run, const core::Table& table, std::size_t row,
                                  std::optional<core::RankKey> of_answer) {
    const std::optional<core::RankKey> rank = find_rank(table, row);
    return core::find_told_event(run, rank ? rank : of_answer, find_event_number(table, row, core::Role::Info));
}

std::optional<core::RankKey> find_only_rank(const core::Answer& answer) {
    std::optional<std::int64_t> only;
    for (const core::NamedTable& named : answer.tables) {
        const std::vector<core::Column>& columns = named.table.columns();
        const auto found = std::ranges::find(columns, Unit::Rank, &core::Column::unit);
        for (std::size_t row = 0; found != columns.end() && row < named.table.rows(); ++row) {
            const auto c = static_cast<std::size_t>(found - columns.begin());
            if (named.table.absent(row, c)) continue;
            const std::int64_t rank = named.table.integer(row, c);
            if (only.value_or(rank) != rank) return std::nullopt;
            only = rank;
        }
    }
    return only ? std::optional(core::RankKey::unpacked(*only)) : std::nullopt;
}

bool is_one_event(const core::Table& table, std::size_t row) {
    if (find_event_number(table, row, core::Role::Key)) return true;
    return find_event_number(table, row, core::Role::Info) && facets_of(table, row).empty();
}

core::RunRange range_of_step(const core::Run& run, std::int64_t number, std::optional<core::RankKey> rank) {
    std::optional<core::RunRange> all;
    for (const core::RankSlot& slot : run.ranks()) {
        if (rank && core::counted_as(run, slot.key) != core::counted_as(run, *rank)) continue;
        for (const core::Step& step : slot.trace().steps) {
            if (step.number != number) continue;
            const core::RunRange range = slot.to_run(step.range);
            all = all ? core::RunRange{std::min(all->begin, range.begin), std::max(all->end, range.end)} : range;
        }
    }
    return all.value_or(core::RunRange{});
}

}  // namespace ui
