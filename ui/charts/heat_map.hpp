#pragma once
// A grid of coloured cells, rows by columns (rank by step), with a legend. If cells would get too
// small, several share one, which shows the greatest of them or, as the user chooses below the legend,
// their mean, and stands for the greatest. With two runs, a
// cell's tooltip shows both values and the change. Dragging over cells selects them. Draws finished
// numbers and returns what the pointer is on.

#include "core/analysis/engine/table.hpp"
#include "core/diff/align/side.hpp"
#include "ui/model/charts/heat_scale.hpp"
#include "ui/widgets/notes.hpp"

#include <imgui.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ui {

struct HeatMap {
    std::span<const std::string> rows;       // labels
    std::span<const std::string> columns;
    std::span<const double> values;          // row by row; not finite: not known
    std::span<const std::uint8_t> faded;     // parallel to values, or empty; nonzero: excluded by the filter
    HeatScale scale;
    core::Unit unit = core::Unit::Ns;
    std::string_view row_name;               // "rank"
    std::string_view column_name;            // "step"
    std::string_view value_name;             // "Step time"
    bool has_legend = true;                  // false if another map shows the same legend
    core::BySide<std::span<const double>> sides = {};  // both values of each cell (two runs), else empty
    const ChartNotes* notes = nullptr;       // about the value, as the only part
    // What the values are part of, and stays as it is: shared cells are then put together once, not in every frame.
    std::shared_ptr<const void> owner = {};
    bool paired() const { return !sides.baseline.empty(); }
};

struct HeatCell {
    std::size_t row;
    std::size_t column;
    bool operator==(const HeatCell&) const = default;
};

// Rows and columns, first to last, including everything that shares a cell with them.
struct HeatCells {
    HeatCell first;
    HeatCell last;
    std::size_t count() const { return (last.row - first.row + 1) * (last.column - first.column + 1); }
    bool operator==(const HeatCells&) const = default;
};

struct HeatHit {
    std::optional<HeatCell> cell;  // under the pointer, unless a drag over several cells is in progress
    bool clicked = false;
    bool activated = false;  // double-clicked, after a click
    bool listed = false;  // right button released on the cell
    std::optional<HeatCells> brushed;  // a drag over several cells ended
    bool escaped = false;  // Escape cancelled the drag
};

HeatHit draw_heat_map(const char* id, const HeatMap&, ImVec2 size);
// Width of everything but the cells, so that several maps can be given equally wide cells.
float find_heat_map_margin(const HeatMap&);

// How rows and columns share cells in a plot of a given size.
struct HeatGrid {
    std::size_t rows_per_cell = 1;
    std::size_t columns_per_cell = 1;
    float cell_width = 0;  // pixels
    float cell_height = 0;
    std::size_t rows(const HeatMap&) const;  // number of rows of cells
    std::size_t columns(const HeatMap&) const;
};
HeatGrid lay_out_heat_map(const HeatMap&, ImVec2 plot);
// Cell with the greatest value (with both signs: farthest from 0) of those that share a grid cell; the first if no
// value is known.
HeatCell find_greatest(const HeatMap&, const HeatGrid&, std::size_t grid_row, std::size_t grid_column);
// Mean of the known values that share a grid cell; NaN if none is.
double find_mean(const HeatMap&, const HeatGrid&, std::size_t grid_row, std::size_t grid_column);

}  // namespace ui
