#pragma once
// A grid of coloured cells, rows by columns (rank by step), with a legend of its colours. Hundreds of rows
// and columns fit: where cells would get too small several share one, which then shows, names and stands for
// the greatest of them. One of several maps of two runs reads out both values and the change.
// A drag over several cells chooses them.
// Handed finished numbers; draws and says what was pointed at.

#include "core/analysis/engine/table.hpp"
#include "core/diff/side.hpp"
#include "ui/model/charts/heat_scale.hpp"
#include "ui/charts/notes.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ui {

struct HeatMap {
    std::span<const std::string> rows;       // labels
    std::span<const std::string> columns;
    std::span<const double> values;          // row after row; not finite: nothing is known of the cell
    std::span<const std::uint8_t> faded;     // as values, or empty: not 0 where the filter leaves the cell out
    HeatScale scale;
    core::Unit unit = core::Unit::Ns;
    std::string_view row_name;               // "rank"
    std::string_view column_name;            // "step"
    std::string_view value_name;             // "Step time"
    bool has_legend = true;                  // else another map with the same colours has it
    core::BySide<std::span<const double>> sides = {};  // of two runs: both values of each cell; else empty
    const ChartNotes* notes = nullptr;       // of the value, as the one part
    bool paired() const { return !sides.baseline.empty(); }
};

struct HeatCell {
    std::size_t row;
    std::size_t column;
    bool operator==(const HeatCell&) const = default;
};

// Rows and columns from first to last, all of what shares a cell with them.
struct HeatCells {
    HeatCell first;
    HeatCell last;
    std::size_t count() const { return (last.row - first.row + 1) * (last.column - first.column + 1); }
    bool operator==(const HeatCells&) const = default;
};

struct HeatHit {
    std::optional<HeatCell> cell;            // under the pointer, unless the button drags over several
    bool clicked = false;
    bool activated = false;                  // double-clicked; its first click came before
    bool listed = false;                     // the right button was released on the cell
    std::optional<HeatCells> brushed;        // a drag over several cells ended
    bool escaped = false;                    // Escape ended it without choosing any
};

HeatHit draw_heat_map(const char* id, const HeatMap&, ImVec2 size);
// What is beside the cells, labels and legend: so that the cells of several maps can be made equally wide.
float find_heat_map_margin(const HeatMap&);

// How rows and columns share cells in a plot of this size.
struct HeatGrid {
    std::size_t rows_per_cell = 1;
    std::size_t columns_per_cell = 1;
    float cell_width = 0;                    // pixels
    float cell_height = 0;
    std::size_t rows(const HeatMap&) const;      // of cells
    std::size_t columns(const HeatMap&) const;
};
HeatGrid lay_out_heat_map(const HeatMap&, ImVec2 plot);
// The cell that stands for all that share a cell of the grid: the greatest value (of both signs: the farthest
// from 0), the first if nothing is known of any.
HeatCell find_greatest(const HeatMap&, const HeatGrid&, std::size_t grid_row, std::size_t grid_column);

}  // namespace ui
