#pragma once
// Charts as inline SVG in a <figure> with a legend: bars, error bars, heat maps and lines of
// finished numbers, laid out by core/charts like the window's. Colours are classes of the page's
// style sheet (html_style). Marks of data have a <title>. Too many neighbours merge into their mean,
// rarer names are left out, and the caption says so. An empty text: nothing to draw. Internal to
// core/export.

#include "core/analysis/engine/analysis.hpp"
#include "core/charts/chart_model.hpp"
#include "core/export/report/html_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

inline constexpr std::size_t kMostBars = 64;       // with whiskers, next to each other
inline constexpr std::size_t kMostRows = 32;       // of bars, below each other
inline constexpr std::size_t kMostNamedBars = 16;

struct SvgContext {
    std::string title;                // description for screen readers
    ShortName short_name = {};
    std::vector<std::string> notes = {};  // shown below the chart
    bool of_changes = false;              // values are signed
};

// Numbered items keep their order, named ones are sorted by size. The candidate, if any, has the
// same items. Empty if all values are 0.
std::string bars_to_svg(const ChartModel&, const ChartModel* candidate, bool numbered, const SvgContext&);

struct HeatTable {
    std::vector<std::string> rows;     // labels
    std::vector<std::string> columns;
    std::string row_title;
    std::string column_title;
    std::vector<double> values;        // row by row; not finite: not known
    Unit unit = Unit::Ns;
    bool is_change = false;            // diverging colours around 0
};
// Empty if no value is known.
std::string heat_map_to_svg(const HeatTable&, const SvgContext&);

// Draws at most six series with the unit of the first; each keeps its extremes per pixel column.
std::string lines_to_svg(std::span<const Series> series, const Run&, const SvgContext&);

}  // namespace core
