#pragma once
// Draws a grid of coloured cells (core/charts/heat_layout) with a legend. A cell shared by several
// values shows and stands for the greatest of them, or shows their mean if the user chooses so below
// the legend. With two runs, a cell's tooltip shows both values and the change. Dragging over cells
// selects them. Draws finished numbers and returns the cell under the pointer.

#include "core/charts/heat_layout.hpp"
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
    core::HeatScale scale;
    core::Unit unit = core::Unit::Ns;
    std::string_view row_name;               // "rank"
    std::string_view column_name;            // "step"
    std::string_view value_name;             // "Step time"
    bool has_legend = true;                  // false if another map shows the same legend
    core::BySide<std::span<const double>> sides = {};  // both values of each cell (two runs), else empty
    const ChartNotes* notes = nullptr;       // about the value, as the only part
    // Owns the values and does not change them: shared cells are then combined once, not in every frame.
    std::shared_ptr<const void> owner = {};
    core::HeatValues layout_values() const {
        return {
            .rows = rows, .columns = columns, .values = values, .scale = scale, .unit = unit, .has_legend = has_legend};
    }
    bool paired() const { return !sides.baseline.empty(); }
};

using core::HeatCell;

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
// Width of everything but the cells. With it, several maps can have equally wide cells.
float find_heat_map_margin(const HeatMap&);

}  // namespace ui
