#pragma once
// An analysis's chart of both runs, made of their comparison: so ranks and steps stand beside their partners, and
// sums are averages where the comparison takes them. No ImGui.

#include "core/diff/compare_tables.hpp"
#include "core/export/chart_model.hpp"

namespace core {

// The keys and one side's measures, under the analysis's own names, in the order of `rows` of the comparison.
Table side_table(const Comparison&, Side, const std::vector<std::size_t>& rows);

struct ComparisonChart {
    // The same items and parts on both sides; where a side has nothing, its item is not known. Rows are the
    // comparison's. Items and parts that are numbers rise; others stand as the comparison sorts them.
    BySide<ChartModel> sides;

    static ComparisonChart of(const Analysis&, const Comparison&, std::string_view chosen_series);
};

}  // namespace core
