#pragma once
// An analysis's chart of both runs, built from their comparison: ranks and steps are paired with
// their partners, and sums are averages if the comparison averages. No ImGui.

#include "core/charts/chart_model.hpp"
#include "core/diff/join/compare_tables.hpp"

namespace core {

// The keys and one side's measures under the analysis's names, for these rows of the comparison in
// order.
Table side_table(const Comparison&, Side, const std::vector<std::size_t>& rows);

struct ComparisonChart {
    // Both sides have the same items and parts; an item absent on a side isn't known there. Rows
    // refer to the comparison. Numeric items and parts are sorted; others keep the comparison's
    // order.
    BySide<ChartModel> sides;

    static ComparisonChart of(const Analysis&, const Comparison&, std::string_view chosen_series,
                              OverRanks over = OverRanks::Mean);
};

}  // namespace core
