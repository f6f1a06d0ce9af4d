#include "ui/model/event_listing.hpp"

#include "core/query/filter_edit.hpp"
#include "ui/model/row_facets.hpp"

#include <algorithm>

namespace ui {
namespace {

bool is_said(const core::Table& table, std::size_t row, std::size_t column, const RowFacets& of_row) {
    const core::Column& info = table.columns()[column];
    const RowFacets alone = facets_of(table, row, std::span(&column, 1));
    if (alone.classes && of_row.name) return true;  // a name implies its class
    if (alone.name) return alone.name == of_row.name;
    return !alone.empty() || info.unit == core::Unit::Event;
}

bool says_time(const core::Filter& filter) {
    return std::ranges::any_of(
        filter.terms, [](const core::FilterTerm& term) { return std::holds_alternative<core::TimeTerm>(term.what); });
}

}  // namespace

core::Filter filter_of(const EventListing& listing, const core::Session& session) {
    core::Filter filter = session.filter();
    for (const core::FilterTerm& term : listing.narrowing.terms)
        std::visit([&](const auto& what) { filter = core::with_term(filter, what); }, term.what);
    return session.alignment() ? session.alignment()->filter_for(listing.side, filter) : filter;
}

std::optional<EventListing> carry_over_listing(EventListing listing, const core::BySide<core::RunPtr>& before,
                                               const core::RunAlignment* alignment,
                                               const core::BySide<core::RunPtr>& after) {
    if (before == after) return listing;
    const core::RunPtr run = before[listing.side];
    if (!run || (after.baseline != run && after.candidate != run)) return std::nullopt;
    listing.side = after.baseline == run ? core::Side::Baseline : core::Side::Candidate;
    const bool stays = after.baseline == before.baseline;
    if (!alignment) return stays && !says_time(listing.narrowing) ? std::optional(std::move(listing)) : std::nullopt;
    if (!stays && after.baseline != before.candidate) return std::nullopt;
    const core::Side becomes = stays ? core::Side::Baseline : core::Side::Candidate;
    listing.narrowing = alignment->filter_for(becomes, listing.narrowing);
    if (after.candidate)  // times keep counting from the aligned moment
        listing.narrowing =
            core::moved_in_time(std::move(listing.narrowing), alignment->origin[becomes] - alignment->anchor[becomes]);
    return listing;
}

bool is_named_on_threads(const core::Table& table, std::size_t row) {
    for (const std::size_t column : key_columns_of(table))
        if (table.columns()[column].facet == core::Facet::Kernel && facets_of(table, row, std::span(&column, 1)).name)
            return false;
    return facets_of(table, row).name.has_value();
}

std::string find_unsaid_keys(const core::Table& table, std::size_t row) {
    const RowFacets facets = facets_of(table, row);
    std::string unsaid;
    for (const std::size_t column : key_columns_of(table)) {
        if (table.absent(row, column) || is_said(table, row, column, facets)) continue;
        unsaid += unsaid.empty() ? "" : ", ";
        unsaid += table.columns()[column].name + " " + core::format_cell(table, row, column);
    }
    return unsaid;
}

}  // namespace ui
