#pragma once
// Charts as inline SVG inside a <figure>, with the legend: bars, bars with whiskers, heat maps and lines. Handed
// finished numbers. Colours are classes of the page's style sheet (html_style), as the window's. Every mark has a
// <title>. A chart has at most kMostBars bars, kMostNamedBars where they are names, and so many rows and columns:
// neighbours are drawn together as their mean, rarer names left out; the caption says so.
// Nothing to draw is an empty text. Internal to core/export.

#include "core/analysis/engine/analysis.hpp"
#include "core/export/chart_model.hpp"
#include "core/export/report/html_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

inline constexpr std::size_t kMostBars = 64;
inline constexpr std::size_t kMostNamedBars = 16;

struct SvgContext {
    std::string title;                // what the chart is, for who cannot see it
    ShortName short_name = {};
    std::vector<std::string> notes = {};  // said below the chart
    bool of_changes = false;              // values have a sign
};

// Items whose labels are numbers stand in columns, names in rows. The candidate, if any, has the same items. Empty where
// all is 0.
std::string bars_to_svg(const ChartModel&, const ChartModel* candidate, bool numbered, const SvgContext&);

struct HeatValue {
    std::size_t row, column;
    double value;
};
struct HeatGrid {
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::string row_title;
    std::string column_title;
    std::vector<HeatValue> values;  // those that are known, in any order
    Unit unit = Unit::Ns;
    bool is_change = false;  // values below 0 and above it have colours of their own
};
// Empty where nothing is known.
std::string heat_map_to_svg(const HeatGrid&, const SvgContext&);

// Of series of the first one's unit, at most six; each keeps its extremes in every column of pixels.
std::string lines_to_svg(std::span<const Series> series, const Run&, const SvgContext&);

}  // namespace core
