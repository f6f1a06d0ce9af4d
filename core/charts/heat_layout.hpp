#pragma once
// Layout of a grid of coloured cells, rows by columns, with a legend. If cells would get too small,
// several share one. Cells are boxes by their place, not shapes: a map has up to 12,000 of them, and
// a window draws them in every frame.

#include "core/analysis/engine/table.hpp"
#include "core/charts/chart_shapes.hpp"
#include "core/charts/heat_scale.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace core {

struct HeatValues {
    std::span<const std::string> rows;  // labels
    std::span<const std::string> columns;
    std::span<const double> values;     // row by row; not finite: not known
    HeatScale scale{};
    Unit unit = Unit::Ns;
    bool has_legend = true;

    double at(std::size_t row, std::size_t column) const;  // not a number if not known
};

struct HeatCell {
    std::size_t row;
    std::size_t column;
    bool operator==(const HeatCell&) const = default;
};

// How rows and columns share cells in a plot of a given size.
struct HeatGrid {
    std::size_t rows_per_cell = 1;
    std::size_t columns_per_cell = 1;
    float cell_width = 0;
    float cell_height = 0;
    std::size_t rows(const HeatValues&) const;  // number of rows of cells
    std::size_t columns(const HeatValues&) const;
    bool is_shared() const { return rows_per_cell > 1 || columns_per_cell > 1; }
};

struct HeatLayout {
    ChartPoint min{};         // upper left corner of the cells
    HeatGrid grid{};
    std::size_t rows = 0;     // of cells
    std::size_t columns = 0;
    float legend = 0;         // its width
    float legend_height = 0;
    float right = 0;          // end of the legend, or of the cells without one
    ChartPoint max() const;
    ChartPoint corner(std::size_t row, std::size_t column) const;
    // The painted part of a cell: large cells have a pixel between them.
    ChartBox cell(std::size_t row, std::size_t column, const TextMetrics&) const;
};

inline constexpr std::size_t kMostHeatCells = 12'000;

HeatGrid find_heat_grid(const HeatValues&, ChartPoint plot, std::size_t most_cells, const TextMetrics&);
// Width of everything but the cells, which lets several maps have equally wide cells.
float find_heat_margin(const HeatValues&, const TextMetrics&);
HeatLayout lay_out_heat_map(const HeatValues&, const ChartBox& area, std::size_t most_cells, const TextMetrics&);

// Cell with the greatest value (with both signs: farthest from 0) of those that share a grid cell; the first if no
// value is known.
HeatCell find_greatest(const HeatValues&, const HeatGrid&, std::size_t grid_row, std::size_t grid_column);
// Mean of the known values that share a grid cell; NaN if none is.
double find_mean(const HeatValues&, const HeatGrid&, std::size_t grid_row, std::size_t grid_column);
// "3", or "8–11" for several.
std::string heat_range_label(std::span<const std::string> labels, std::size_t first, std::size_t count);

// Labels of rows and columns, as many as fit.
void add_heat_labels(const HeatValues&, const HeatLayout&, const TextMetrics&, ChartShapes&);

// One colour of the legend, greatest first.
struct HeatStep {
    double value;
    ChartBox box;
};
inline constexpr std::size_t kHeatSteps = 24;
std::array<HeatStep, kHeatSteps> find_heat_steps(const HeatValues&, const HeatLayout&, const TextMetrics&);
void add_heat_legend_labels(const HeatValues&, const HeatLayout&, const TextMetrics&, ChartShapes&);

}  // namespace core
