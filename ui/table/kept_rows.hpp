#pragma once
// Keeps the rows of a table whose row was clicked: the filter then follows the click, the table is still asked with the
// filter from before it, and the rows that the filter chooses are marked. A second click restores that filter. It ends
// when the filter's terms of the clicked kinds change otherwise. No ImGui.

#include "ui/model/row_facets.hpp"

#include <cstdint>

namespace ui {

class KeptRows {
public:
    // Filter after a click on these facets. now: the session's filter.
    core::Filter click(const core::Filter& now, const RowFacets&, Click);
    // Filter from before the click; nullopt if no click is in force.
    std::optional<core::Filter> taken_back(const core::Filter& now) const;
    // Filter to ask the table with: what the clicks replaced is put back, other terms are those of `now`.
    core::Filter filter_for(const core::Filter& now) const;
    bool is_in_force(const core::Filter& now) const;
    // Whether the clicked terms of the filter accept the row. classes: of a row with a kernel, whose facets have none.
    bool marks(const core::Filter& now, const RowFacets&, std::optional<core::ClassSet> classes) const;
    void end() { kinds_ = 0; }

private:
    std::uint32_t kinds_ = 0;  // bit per alternative of FilterTerm::what
    core::Filter before_;  // filter at the first click
    core::Filter after_;  // terms of these kinds after the last click
    RowFacets clicked_;
};

// Class in a class column of the row, if it has one.
std::optional<core::ClassSet> class_of_row(const core::Table&, std::size_t row);

}  // namespace ui
