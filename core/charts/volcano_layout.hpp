#pragma once
// Rows of a comparison as points: how much each changed against how sure that is. Area is time, and
// the largest changes are named.

#include "core/charts/chart_shapes.hpp"
#include "core/diff/statistics/run_statistics.hpp"
#include "core/diff/statistics/statistics_text.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace core {

// A tested row: the logarithm of its ratio against that of its q.
struct VolcanoPoint {
    std::size_t row = 0;     // of the comparison
    double log2_ratio = 0;   // candidate / baseline
    double log10_q = 0;      // -log10 q; q = 0 (no spread) is placed at the top
    bool is_certain = false; // q is 0
    double ns = 0;           // the larger mean, for its area
    RowVerdict verdict = RowVerdict::Undecided;
};
inline constexpr double kMostLog10Q = 12;    // smaller q are drawn there
inline constexpr double kMostLog2Ratio = 4;  // larger changes likewise

// The rows with a ratio and a q, largest first, which draws small points over large ones.
std::vector<VolcanoPoint> find_volcano_points(const RowStatistics&);

struct Volcano {
    std::span<const VolcanoPoint> points;
    std::function<bool(RowVerdict)> shows = {};            // others are left out; empty: all are shown
    std::function<std::string(std::size_t row)> name_of;
};

// Adds axes, points and names to the area. The item of a point and its name is its index in `points`.
void add_volcano(const Volcano&, const ChartBox& area, const TextMetrics&, ChartShapes&);

}  // namespace core
