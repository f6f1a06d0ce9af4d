#pragma once
// The rows of a comparison with their test results: verdicts for chips and filters, points of the
// volcano chart, and the table with the columns of the tests. No ImGui.

#include "core/diff/statistics/run_statistics.hpp"
#include "core/diff/statistics/statistics_text.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

using core::kRowVerdicts;
using core::RowVerdict;

// A tested row: logarithm of its ratio against that of its q.
struct VolcanoPoint {
    std::size_t row = 0;  // in the comparison
    double log2_ratio = 0;  // candidate / baseline
    double log10_q = 0;  // -log10 q; if q is 0 (no spread), the chart's upper end
    bool is_certain = false;  // q is 0
    double ns = 0;  // the larger mean, for its area
    RowVerdict verdict = RowVerdict::Undecided;
};
inline constexpr double kMostLog10Q = 12;  // smaller q are drawn at this height
inline constexpr double kMostLog2Ratio = 4;  // larger changes likewise

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
