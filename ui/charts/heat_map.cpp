#include "ui/charts/heat_map.hpp"

#include "core/charts/axis.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/charts/draw_shapes.hpp"
#include "ui/charts/heat_colors.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

namespace ui {
namespace {

constexpr float kFadedCell = 0.25f;        // opacity of a faded cell

using core::HeatGrid;
using core::HeatLayout;

double value_of(const HeatMap& map, HeatCell cell) { return map.layout_values().at(cell.row, cell.column); }

bool is_faded(const HeatMap& map, HeatCell cell) {
    const std::size_t at = cell.row * map.columns.size() + cell.column;
    return at < map.faded.size() && map.faded[at] != 0;
}

// Value of the cell on one side; absent if not known.
std::optional<double> value_of_side(const HeatMap& map, core::Side side, HeatCell cell) {
    const std::span<const double> values = map.sides[side];
    const std::size_t at = cell.row * map.columns.size() + cell.column;
    if (at >= values.size() || !std::isfinite(values[at])) return std::nullopt;
    return values[at];
}

ImU32 color_of(const HeatMap& map, HeatCell cell) {
    const double value = value_of(map, cell);
    if (!std::isfinite(value)) return color::palette().unknown;
    const ImU32 full = heat_color(map.scale, value);
    return is_faded(map, cell) ? color::mix(color::palette().panel, full, kFadedCell) : full;
}

// True if only one of two runs has a value. Such cells are marked.
bool is_lone(const HeatMap& map, HeatCell cell) {
    return map.paired() && !std::isfinite(value_of(map, cell)) &&
           value_of_side(map, core::Side::Baseline, cell).has_value() !=
               value_of_side(map, core::Side::Candidate, cell).has_value();
}

// Values that the cells of a grid show.
struct GridCells {
    std::vector<HeatCell> greatest;  // row by row
    std::vector<double> mean;
};

GridCells combine_cells(const core::HeatValues& map, const HeatLayout& layout) {
    GridCells cells;
    for (std::size_t row = 0; row < layout.rows; ++row) {
        for (std::size_t column = 0; column < layout.columns; ++column) {
            cells.greatest.push_back(core::find_greatest(map, layout.grid, row, column));
            cells.mean.push_back(core::find_mean(map, layout.grid, row, column));
        }
    }
    return cells;
}

// Keeps the cells of maps with an owner while they are drawn. Main thread only.
class KeptCells {
public:
    const GridCells& of(ImGuiID id, const HeatMap& map, const HeatLayout& layout) {
        constexpr int kFrames = 8;
        const int now = ImGui::GetFrameCount();
        std::erase_if(kept_, [&](const auto& entry) {
            return entry.first != id && std::abs(now - entry.second.drawn) > kFrames;
        });
        Kept& kept = kept_[id];
        const bool same = map.owner && kept.owner == map.owner && kept.values == map.values.data() &&
                          kept.rows_per_cell == layout.grid.rows_per_cell &&
                          kept.columns_per_cell == layout.grid.columns_per_cell;
        if (!same)
            kept = {.owner = map.owner,
                    .values = map.values.data(),
                    .rows_per_cell = layout.grid.rows_per_cell,
                    .columns_per_cell = layout.grid.columns_per_cell,
                    .cells = combine_cells(map.layout_values(), layout)};
        kept.drawn = now;
        return kept.cells;
    }

private:
    struct Kept {
        std::shared_ptr<const void> owner;
        const double* values = nullptr;
        std::size_t rows_per_cell = 0, columns_per_cell = 0;
        GridCells cells;
        int drawn = 0;
    };
    std::map<ImGuiID, Kept> kept_;
};
KeptCells kept_cells;

ImU32 color_of_mean(const HeatMap& map, HeatCell greatest, double mean) {
    if (!std::isfinite(mean)) return color::palette().unknown;
    const ImU32 full = heat_color(map.scale, mean);
    return is_faded(map, greatest) ? color::mix(color::palette().panel, full, kFadedCell) : full;
}

void draw_cells(ImDrawList* list, const HeatMap& map, const HeatLayout& layout, const GridCells& cells, bool by_mean,
                ImVec2 mouse) {
    for (std::size_t row = 0; row < layout.rows; ++row) {
        for (std::size_t column = 0; column < layout.columns; ++column) {
            const std::size_t at = row * layout.columns + column;
            const HeatCell cell = cells.greatest[at];
            const core::ChartBox box = layout.cell(row, column, window_metrics());
            const ImVec2 a = to_imgui(box.min);
            const ImVec2 b = to_imgui(box.max);
            draw_rect(list, a, b, by_mean ? color_of_mean(map, cell, cells.mean[at]) : color_of(map, cell));
            if (is_lone(map, cell)) draw_line(list, {a.x, b.y}, {b.x, a.y}, color::palette().lone);
            if (!items().enabled) continue;
            const core::ChartPoint end = layout.corner(row + 1, column + 1);
            const bool hovered = mouse.x >= a.x && mouse.x < end.x && mouse.y >= a.y && mouse.y < end.y;
            record_rect("##cell:" + map.rows[cell.row] + "," + map.columns[cell.column], a, b, hovered);
        }
    }
}

void draw_labels_and_legend(ImDrawList* list, const HeatMap& map, const HeatLayout& layout) {
    const core::HeatValues values = map.layout_values();
    core::ChartShapes shapes;
    core::add_heat_labels(values, layout, window_metrics(), shapes);
    if (map.has_legend) {
        for (const core::HeatStep& step : core::find_heat_steps(values, layout, window_metrics()))
            draw_rect(list, to_imgui(step.box.min), to_imgui(step.box.max), heat_color(map.scale, step.value));
        core::add_heat_legend_labels(values, layout, window_metrics(), shapes);
    }
    draw_shapes(list, shapes.all(), [](const core::ChartShape& shape) {
        return shape.role == core::ChartRole::Value ? color::palette().muted : color::palette().faint;
    });
    if (!map.has_legend) return;
    record_rect("##legend", {layout.right - layout.legend, layout.min.y},
                {layout.right, layout.min.y + layout.legend_height}, false);
}

void show_pair(const HeatMap& map, HeatCell cell) {
    const Compared value = Compared::between(value_of_side(map, core::Side::Baseline, cell),
                                             value_of_side(map, core::Side::Candidate, cell));
    compared_tooltip_head();
    compared_tooltip_line(map.value_name, value, map.unit);
    if (value.baseline && !value.candidate) muted_text(only_in(core::Side::Baseline));
    if (value.candidate && !value.baseline) muted_text(only_in(core::Side::Candidate));
}

void show_value(const HeatMap& map, HeatCell cell) {
    const double value = value_of(map, cell);
    tooltip_line(map.value_name, std::isfinite(value) ? core::format_value(value, map.unit) : "not known",
                 color_of(map, cell));
    if (std::isfinite(value) && map.unit == core::Unit::Ns)
        tooltip_line("exactly", core::format_duration_exact(core::Duration{std::llround(value)}));
}

void show_tooltip(const HeatMap& map, const HeatLayout& layout, HeatCell cell) {
    const HeatGrid& grid = layout.grid;
    ImGui::BeginTooltip();
    const std::string head = std::string(map.row_name) + " " + map.rows[cell.row] + ", " +
                             std::string(map.column_name) + " " + map.columns[cell.column];
    heading(head);
    if (map.paired())
        show_pair(map, cell);
    else
        show_value(map, cell);
    if (grid.is_shared()) {
        const double mean = core::find_mean(map.layout_values(), grid, cell.row / grid.rows_per_cell,
                                            cell.column / grid.columns_per_cell);
        if (!map.paired() && std::isfinite(mean)) tooltip_line("mean of the cell", core::format_value(mean, map.unit));
        muted_text(
            "Greatest of " + std::string(map.row_name) + " " +
            core::heat_range_label(map.rows, cell.row / grid.rows_per_cell * grid.rows_per_cell, grid.rows_per_cell) +
            ", " + std::string(map.column_name) + " " +
            core::heat_range_label(map.columns, cell.column / grid.columns_per_cell * grid.columns_per_cell,
                                   grid.columns_per_cell));
    }
    draw_notes(map.notes, 0, head);
    ImGui::EndTooltip();
}

// Returns a cell of the grid, not of the map.
HeatCell nearest_cell(const HeatLayout& layout, ImVec2 mouse) {
    const auto place = [](float offset, float side, std::size_t count) {
        const float at = std::clamp(offset / side, 0.0f, static_cast<float>(count - 1));
        return std::min(static_cast<std::size_t>(at), count - 1);
    };
    return {place(mouse.y - layout.min.y, layout.grid.cell_height, layout.rows),
            place(mouse.x - layout.min.x, layout.grid.cell_width, layout.columns)};
}

bool is_inside(const HeatLayout& layout, ImVec2 mouse) {
    const core::ChartPoint end = layout.max();
    return mouse.x >= layout.min.x && mouse.y >= layout.min.y && mouse.x < end.x && mouse.y < end.y;
}

std::optional<HeatCell> cell_at(const HeatMap& map, const HeatLayout& layout, ImVec2 mouse) {
    if (!is_inside(layout, mouse)) return std::nullopt;
    const HeatCell at = nearest_cell(layout, mouse);
    return core::find_greatest(map.layout_values(), layout.grid, at.row, at.column);
}

// Returns the cells between the press and the pointer; nullopt if both are in the same cell.
std::optional<HeatCells> find_brushed(const HeatLayout& layout) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!ImGui::IsItemActive() && !ImGui::IsItemDeactivated()) return std::nullopt;
    if (!is_inside(layout, io.MouseClickedPos[0])) return std::nullopt;
    if (io.MouseDragMaxDistanceSqr[0] < io.MouseDragThreshold * io.MouseDragThreshold) return std::nullopt;
    const HeatCell from = nearest_cell(layout, io.MouseClickedPos[0]);
    const HeatCell to = nearest_cell(layout, io.MousePos);
    if (from == to) return std::nullopt;
    return HeatCells{{std::min(from.row, to.row), std::min(from.column, to.column)},
                     {std::max(from.row, to.row), std::max(from.column, to.column)}};
}

// True if Escape was pressed since the button went down; then the item is neither brushed nor clicked.
bool is_given_up(const char* id, HeatHit& hit) {
    ImGuiStorage* kept = ImGui::GetStateStorage();
    const ImGuiID key = ImGui::GetID(id) + 1;
    if (ImGui::IsItemActivated()) kept->SetBool(key, false);
    if (ImGui::IsItemActive() && compat::is_key_pressed(GLFW_KEY_ESCAPE)) {
        kept->SetBool(key, true);
        hit.escaped = true;
    }
    return (ImGui::IsItemActive() || ImGui::IsItemDeactivated()) && kept->GetBool(key);
}

// Converts cells of the grid to rows and columns of the map.
HeatCells cells_of(const HeatMap& map, const HeatGrid& grid, const HeatCells& brushed) {
    const auto last = [](std::size_t at, std::size_t each, std::size_t count) {
        return std::min(count, (at + 1) * each) - 1;
    };
    return {{brushed.first.row * grid.rows_per_cell, brushed.first.column * grid.columns_per_cell},
            {last(brushed.last.row, grid.rows_per_cell, map.rows.size()),
             last(brushed.last.column, grid.columns_per_cell, map.columns.size())}};
}

void show_brushed(const HeatMap& map, const HeatCells& cells) {
    const auto range = [](std::string_view name, std::span<const std::string> labels, std::size_t first,
                          std::size_t last) {
        return std::string(name) + " " + core::heat_range_label(labels, first, last - first + 1);
    };
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t row = cells.first.row; row <= cells.last.row; ++row)
        for (std::size_t column = cells.first.column; column <= cells.last.column; ++column)
            if (const double value = value_of(map, {row, column}); std::isfinite(value)) {
                sum += value;
                ++known;
            }
    ImGui::BeginTooltip();
    heading(range(map.row_name, map.rows, cells.first.row, cells.last.row) + ", " +
            range(map.column_name, map.columns, cells.first.column, cells.last.column));
    const std::string mean = known > 0 ? core::format_value(sum / static_cast<double>(known), map.unit) : "not known";
    tooltip_line(std::string(map.value_name) + ", mean", mean, color::palette().muted);
    muted_text("Release to filter by these");
    ImGui::EndTooltip();
}

// Numbers for the table of a map; built on a worker.
struct MapNumbers {
    explicit MapNumbers(const HeatMap& map)
        : rows(map.rows.begin(), map.rows.end()),
          columns(map.columns.begin(), map.columns.end()),
          values(map.values.begin(), map.values.end()),
          row_name(map.row_name),
          column_name(map.column_name),
          value_name(map.value_name),
          unit(map.unit),
          paired(map.paired()) {
        for (const core::Side side : core::kSides) sides[side].assign(map.sides[side].begin(), map.sides[side].end());
    }
    // One row per cell, so that rows and columns can be pivoted again.
    core::Table table() const;

    std::vector<std::string> rows, columns;
    std::vector<double> values;
    core::BySide<std::vector<double>> sides;
    std::string row_name, column_name, value_name;
    core::Unit unit;
    bool paired;
};

core::Table MapNumbers::table() const {
    std::vector<std::string> row_of, column_of;
    for (const std::string& row : rows) {
        row_of.insert(row_of.end(), columns.size(), row);
        column_of.insert(column_of.end(), columns.begin(), columns.end());
    }
    ChartTable table;
    table.add_texts(row_name, std::move(row_of));
    table.add_texts(column_name, std::move(column_of));
    if (paired)
        table.add_pair(value_name, unit, sides);
    else
        table.add_numbers(value_name, unit, values);
    return table.table();
}

// Draws the choice of what shared cells show, below the legend; returns whether they show the mean.
bool choose_share(const char* id, const HeatMap& map, const HeatLayout& layout) {
    if (!map.has_legend || map.paired() || !layout.grid.is_shared()) return false;
    ImGuiStorage* const kept = ImGui::GetStateStorage();
    const ImGuiID key = ImGui::GetID(id) + 2;
    const bool by_mean = kept->GetBool(key, false);
    const std::string words = by_mean ? "mean" : "greatest";
    const float width = text_width(small_style(), words);
    const ImVec2 at{std::max(layout.max().x, layout.right - width - px(2)), layout.max().y + px(3)};
    ImGui::SetCursorScreenPos(at);
    const bool pressed = invisible_button((std::string(id) + "-share").c_str(), {width, small_style().size_px + px(2)});
    record_item(std::string(id) + "-share");
    const bool hovered = ImGui::IsItemHovered();
    draw_text(ImGui::GetWindowDrawList(), small_style(), at, hovered ? color::palette().text : color::palette().accent,
              words);
    if (hovered)
        ImGui::SetTooltip("Shows the %s of the values that share a cell. Click: show the %s", words.c_str(),
                          by_mean ? "greatest" : "mean");
    if (pressed) kept->SetBool(key, !by_mean);
    return by_mean;
}

}  // namespace

float find_heat_map_margin(const HeatMap& map) { return core::find_heat_margin(map.layout_values(), window_metrics()); }

HeatHit draw_heat_map(const char* id, const HeatMap& map, ImVec2 size) {
    HeatHit hit;
    size = {std::max(size.x, px(120)), std::max(size.y, px(48))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool empty = map.rows.empty() || map.columns.empty();
    const core::ChartBox area{to_chart(at), {at.x + size.x, at.y + size.y}};
    const HeatLayout layout =
        empty ? HeatLayout{}
              : core::lay_out_heat_map(map.layout_values(), area, core::kMostHeatCells, window_metrics());
    const bool by_mean = !empty && choose_share(id, map, layout);  // before the map's button, which would cover it
    ImGui::SetCursorScreenPos(at);
    const bool pressed = invisible_button(id, size);
    record_item(id);
    if (empty) return hit;
    const bool hovered = ImGui::IsItemHovered();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_cells(list, map, layout, kept_cells.of(ImGui::GetID(id), map, layout), by_mean,
               hovered ? mouse : ImVec2{-1e9f, -1e9f});
    draw_labels_and_legend(list, map, layout);
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        const std::string title(map.value_name);
        return ChartSheet{.title = title, .table = [numbers = MapNumbers(map)] { return numbers.table(); }};
    });
    if (is_given_up(id, hit)) return hit;
    if (const auto brushed = find_brushed(layout)) {
        const HeatCells cells = cells_of(map, layout.grid, *brushed);
        const ImVec2 a = to_imgui(layout.corner(brushed->first.row, brushed->first.column));
        const ImVec2 b = to_imgui(layout.corner(brushed->last.row + 1, brushed->last.column + 1));
        list->AddRect({a.x - 1, a.y - 1}, b, ImGui::GetColorU32(color::palette().text));
        show_brushed(map, cells);
        if (ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(ImGuiMouseButton_Left)) hit.brushed = cells;
        return hit;
    }
    if (!hovered) return hit;
    hit.cell = cell_at(map, layout, mouse);
    if (!hit.cell) {  // pointer is on the legend or a label
        const bool beside = mouse.x < layout.min.x || mouse.y > layout.max().y ||
                            (mouse.x > layout.right - layout.legend && mouse.x < layout.right);
        if (beside) draw_notes_tooltip(map.notes, 0, 1);
        return hit;
    }
    hit.listed = ImGui::IsMouseReleased(ImGuiMouseButton_Right);
    const bool again = ImGui::GetIO().MouseClickedLastCount[0] > 1;
    hit.clicked = pressed && !again;
    hit.activated = pressed && again;
    const ImVec2 a = to_imgui(
        layout.corner(hit.cell->row / layout.grid.rows_per_cell, hit.cell->column / layout.grid.columns_per_cell));
    list->AddRect({a.x - 1, a.y - 1}, {a.x + layout.grid.cell_width, a.y + layout.grid.cell_height},
                  color::palette().text);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    show_tooltip(map, layout, *hit.cell);
    return hit;
}

}  // namespace ui
