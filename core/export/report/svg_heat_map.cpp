#include "core/charts/axis.hpp"
#include "core/charts/heat_layout.hpp"
#include "core/export/report/svg_chart.hpp"
#include "core/export/report/svg_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace core {
namespace {

// A cell takes about 150 bytes, so more would make the page slow to open.
constexpr std::size_t kMostReportCells = 2048;
constexpr float kFewRows = 12;
constexpr float kLargePitch = 22, kSmallPitch = 14;
constexpr float kMostHeight = 450;
constexpr float kLabelsBelow = 22;

std::string value_text(double value, const HeatTable& table) {
    return table.is_change ? signed_value(value, table.unit) : format_value(value, table.unit);
}

// Fields of one colour, deeper the farther the value is from the scale's begin, or from 0 with both signs.
svg::Look look_of_value(const HeatScale& scale, double value) {
    if (!std::isfinite(value)) return {.css = "nothing"};
    const double share = scale.share(value);
    const double depth = scale.both_signs ? std::abs(2 * share - 1) : share;
    return {.css = !scale.both_signs ? "heat"
                   : value > 0       ? "heat more"
                                     : "heat less",
            .title = {},
            .more = fmt::format(" fill-opacity=\"{:.2f}\"", 0.08 + 0.92 * depth)};
}

std::string draw_cells(const HeatTable& table, const HeatValues& map, const HeatLayout& layout) {
    std::string out;
    for (std::size_t row = 0; row < layout.rows; ++row) {
        for (std::size_t column = 0; column < layout.columns; ++column) {
            const HeatGrid& grid = layout.grid;
            const HeatCell cell = find_greatest(map, grid, row, column);
            const double value = map.at(cell.row, cell.column);
            svg::Look look = look_of_value(map.scale, value);
            look.title = table.row_title + " " +
                         heat_range_label(table.rows, row * grid.rows_per_cell, grid.rows_per_cell) + ", " +
                         table.column_title + " " +
                         heat_range_label(table.columns, column * grid.columns_per_cell, grid.columns_per_cell) + ": " +
                         (std::isfinite(value) ? value_text(value, table) : "\xE2\x80\x93");
            out += svg::rect(layout.cell(row, column, svg::page_metrics()), look);
        }
    }
    return out;
}

std::string draw_legend(const HeatValues& map, const HeatLayout& layout) {
    std::string out;
    for (const HeatStep& step : find_heat_steps(map, layout, svg::page_metrics())) {
        svg::Look look = look_of_value(map.scale, step.value);
        look.css += " step";
        out += svg::rect(step.box, look);
    }
    return out;
}

std::string describe_cells(const HeatTable& table, const HeatGrid& grid) {
    std::string words = "Rows: " + table.row_title + ". Columns: " + table.column_title + ".";
    if (grid.is_shared())
        words += " Each cell shows the greatest of " +
                 counted_noun(grid.rows_per_cell, table.row_title, table.row_title + "s") + " and " +
                 counted_noun(grid.columns_per_cell, table.column_title, table.column_title + "s") + ".";
    if (table.is_change) words += " Values: candidate \xE2\x88\x92 baseline.";
    return words;
}

}  // namespace

std::string heat_map_to_svg(const HeatTable& table, const SvgContext& context) {
    const auto is_known = [](double value) { return std::isfinite(value); };
    if (std::ranges::none_of(table.values, is_known)) return {};
    const HeatValues map{
        .rows = table.rows,
        .columns = table.columns,
        .values = table.values,
        .scale = table.is_change ? find_centred_heat_scale(table.values) : find_heat_scale(table.values),
        .unit = table.unit};
    const auto rows = static_cast<float>(table.rows.size());
    const float cells = std::min(kMostHeight, rows * (rows <= kFewRows ? kLargePitch : kSmallPitch));
    const HeatLayout layout =
        lay_out_heat_map(map, {{0, 4}, {svg::kWidth, 4 + cells + kLabelsBelow}}, kMostReportCells, svg::page_metrics());
    ChartShapes labels;
    add_heat_labels(map, layout, svg::page_metrics(), labels);
    add_heat_legend_labels(map, layout, svg::page_metrics(), labels);
    const float bottom = std::max(layout.max().y + kLabelsBelow, layout.min.y + layout.legend_height + 4);
    const std::string drawing =
        svg::open(bottom, context.title) + draw_cells(table, map, layout) + draw_legend(map, layout) +
        svg::write_shapes(labels.all(), [](const ChartShape& shape) { return svg::look_of_role(shape.role); }) +
        "</svg>";
    std::vector<std::string> notes = context.notes;
    notes.push_back(describe_cells(table, layout.grid));
    return svg::figure({}, drawing, notes);
}

}  // namespace core
