#include "core/export/report/svg_chart.hpp"
#include "core/export/report/svg_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr std::size_t kMostHeatRows = 32;
constexpr std::size_t kMostHeatColumns = 64;

std::vector<std::string> join_labels(const std::vector<std::string>& labels, std::size_t at_once) {
    std::vector<std::string> joined;
    for (std::size_t first = 0; first < labels.size(); first += at_once) {
        const std::size_t last = std::min(first + at_once, labels.size()) - 1;
        joined.push_back(first == last ? labels[first] : labels[first] + "\xE2\x80\x93" + labels[last]);
    }
    return joined;
}

// Drawn fields, each of one or several neighbours, row by row.
struct HeatFields {
    const HeatGrid& of;
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<std::optional<double>> values;
};

// Merges neighbours into the mean of their known values.
HeatFields join_fields(const HeatGrid& grid, std::size_t rows_at_once, std::size_t columns_at_once) {
    HeatFields fields{.of = grid,
                      .rows = join_labels(grid.rows, rows_at_once),
                      .columns = join_labels(grid.columns, columns_at_once),
                      .values = {}};
    std::vector<double> sums(fields.rows.size() * fields.columns.size());
    std::vector<double> counts(sums.size());
    for (const HeatValue& value : grid.values) {
        const std::size_t at = value.row / rows_at_once * fields.columns.size() + value.column / columns_at_once;
        sums[at] += value.value;
        counts[at] += 1;
    }
    fields.values.assign(sums.size(), std::nullopt);
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (counts[i] > 0) fields.values[i] = sums[i] / counts[i];
    return fields;
}

struct HeatScale {
    double least = 0;
    double most = 0;
    bool is_change = false;
    double depth(double value) const {
        if (is_change) {
            const double end = std::max(std::abs(least), std::abs(most));
            return end > 0 ? std::abs(value) / end : 0;
        }
        return most > least ? (value - least) / (most - least) : 0.5;
    }
    std::string_view css(double value) const { return !is_change ? "heat" : value > 0 ? "heat more" : "heat less"; }
};

HeatScale scale_of(const HeatFields& grid) {
    HeatScale scale{.least = 0, .most = 0, .is_change = grid.of.is_change};
    bool first = true;
    for (const std::optional<double>& value : grid.values) {
        if (!value) continue;
        scale.least = first ? *value : std::min(scale.least, *value);
        scale.most = first ? *value : std::max(scale.most, *value);
        first = false;
    }
    return scale;
}

std::string opacity_of(double depth) {
    return fmt::format(" fill-opacity=\"{:.2f}\"", 0.08 + 0.92 * std::clamp(depth, 0.0, 1.0));
}

std::string value_text(double value, const HeatGrid& grid) {
    return grid.is_change ? signed_value(value, grid.unit) : format_value(value, grid.unit);
}

std::string legend_of(const HeatGrid& grid, const HeatScale& scale) {
    const double end = std::max(std::abs(scale.least), std::abs(scale.most));
    const std::string least = html_text(value_text(grid.is_change ? -end : scale.least, grid));
    std::string most = html_text(value_text(grid.is_change ? end : scale.most, grid));
    if (most == least && scale.most > scale.least)
        most = html_text(format_value(scale.most - scale.least, grid.unit)) + " more";
    return "<p class=\"legend\">" + least + " <span class=\"ramp" + (grid.is_change ? " change" : "") + "\"></span> " +
           most + (grid.is_change ? ", candidate \xE2\x88\x92 baseline" : "") + "</p>\n";
}

std::string draw_cells(const HeatFields& grid, const HeatScale& scale, const svg::Box& plot) {
    const double width = plot.width / static_cast<double>(grid.columns.size());
    const double height = plot.height / static_cast<double>(grid.rows.size());
    std::string out;
    for (std::size_t i = 0; i < grid.values.size(); ++i) {
        const std::size_t row = i / grid.columns.size(), column = i % grid.columns.size();
        const svg::Box cell{.left = plot.left + static_cast<double>(column) * width,
                            .top = plot.top + static_cast<double>(row) * height,
                            .width = width - std::min(1.0, width / 8),
                            .height = height - 1};
        const std::string title =
            grid.of.row_title + " " + grid.rows[row] + ", " + grid.of.column_title + " " + grid.columns[column] + ": ";
        if (!grid.values[i])
            out += svg::rect(cell, "nothing", title + "\xE2\x80\x93");
        else
            out += svg::rect(cell, scale.css(*grid.values[i]), title + value_text(*grid.values[i], grid.of),
                             opacity_of(scale.depth(*grid.values[i])));
    }
    return out;
}

std::string row_labels(const HeatFields& grid, const svg::Box& plot) {
    const double height = plot.height / static_cast<double>(grid.rows.size());
    const std::size_t every = height >= 12 ? 1 : 2;
    std::string out;
    for (std::size_t row = 0; row < grid.rows.size(); row += every)
        out += svg::text(plot.left - 6, plot.top + (static_cast<double>(row) + 0.5) * height + 4, svg::Anchor::End,
                         (row == 0 ? grid.of.row_title + " " : "") + grid.rows[row]);
    return out;
}

}  // namespace

std::string heat_map_to_svg(const HeatGrid& whole, const SvgContext& context) {
    if (whole.values.empty()) return {};
    const std::size_t rows_at_once = (whole.rows.size() + kMostHeatRows - 1) / kMostHeatRows;
    const std::size_t columns_at_once = (whole.columns.size() + kMostHeatColumns - 1) / kMostHeatColumns;
    const HeatFields grid = join_fields(whole, rows_at_once, columns_at_once);
    std::vector<std::string> notes = context.notes;
    if (rows_at_once > 1 || columns_at_once > 1) {
        notes.push_back("Each field is the mean of " +
                        counted_noun(rows_at_once, whole.row_title, whole.row_title + "s") + " and " +
                        counted_noun(columns_at_once, whole.column_title, whole.column_title + "s") + ".");
    }
    const HeatScale scale = scale_of(grid);
    const double pitch = grid.rows.size() <= 12 ? 22 : 14;
    const svg::Box plot{
        .left = 84, .top = 6, .width = svg::kWidth - 84 - 12, .height = pitch * static_cast<double>(grid.rows.size())};
    const std::string drawing = svg::open(plot.bottom() + 42, context.title) + draw_cells(grid, scale, plot) +
                                row_labels(grid, plot) + svg::labels_below(plot, grid.columns, whole.column_title) +
                                "</svg>";
    return svg::figure(legend_of(whole, scale), drawing, notes);
}

}  // namespace core
