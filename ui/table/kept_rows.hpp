#pragma once
// Keeps the rows of a table after a click on one: the filter follows the click, while the table is
// requested with the filter from before it and marks the accepted rows. A second click restores
// that filter. Ends when the filter's terms of the clicked kinds change by other means. No ImGui.

#include "ui/model/row_facets.hpp"

#include <cstdint>

namespace ui {

class KeptRows {
public:
    // Filter after a click on these facets. now: the session's filter.
    core::Filter click(const core::Filter& now, const RowFacets&, Click);
    // Filter from before the click; nullopt if no click is in effect.
    std::optional<core::Filter> filter_before_click(const core::Filter& now) const;
    // Filter to request the table with: terms that the clicks replaced are restored, other terms come from `now`.
    core::Filter filter_for(const core::Filter& now) const;
    bool is_in_force(const core::Filter& now) const;
    // True if the clicked terms of the filter accept the row. classes: for a row with a kernel, whose facets have none.
    bool marks(const core::Filter& now, const RowFacets&, std::optional<core::ClassSet> classes) const;
    void end() { kinds_ = 0; }

private:
    std::uint32_t kinds_ = 0;  // bit per alternative of FilterTerm::what
    core::Filter before_;  // filter at the first click
    core::Filter after_;  // terms of these kinds after the latest click
    RowFacets clicked_;
};

// Class in a class column of the row, if it has one.
std::optional<core::ClassSet> class_of_row(const core::Table&, std::size_t row);

}  // namespace ui
