#pragma once
// The rows of a comparison with their test results: verdicts for chips and filters, points of the
// volcano chart, and the table with the columns of the tests. No ImGui.

#include "core/charts/volcano_layout.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

using core::kRowVerdicts;
using core::RowVerdict;
using core::VolcanoPoint;

struct TestedRows {
    std::vector<std::optional<RowVerdict>> verdicts;  // by row; empty: in both runs but not tested
    std::array<std::size_t, kRowVerdicts.size()> counts{};
    std::vector<VolcanoPoint> points;
    std::size_t count(RowVerdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
    static TestedRows of(const core::Comparison&, const core::RowStatistics&);
};

// Columns that with_tests appends.
inline constexpr std::string_view kVerdictColumn = "verdict";
inline constexpr std::string_view kMarginColumn = "change.margin";
inline constexpr std::string_view kQColumn = "q";
inline constexpr std::string_view kValuesColumn = "values";  // empty: drawn as dots
core::Table with_tests(const core::Comparison&, const core::RowStatistics&);

}  // namespace ui
