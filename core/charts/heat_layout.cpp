#include "core/charts/heat_layout.hpp"

#include "core/base/format.hpp"
#include "core/charts/axis.hpp"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr float kLeastCell = 4;  // side at scale 1
constexpr float kMostWidth = 96;
constexpr float kMostHeight = 26;
constexpr float kLegendGap = 14;
constexpr float kLegendBar = 10;
constexpr float kLeastLegend = 64;  // height at scale 1
constexpr float kBelowCells = 22;   // room for the labels of columns

std::size_t divide_up(std::size_t count, std::size_t each) { return (count + each - 1) / each; }

// Digits are equally wide in the face of numbers, so the longest label is measured once.
float widest_label(std::span<const std::string> labels, const TextMetrics& metrics) {
    std::size_t longest = 0;
    for (const std::string& label : labels) longest = std::max(longest, label.size());
    return metrics.width(ChartFace::Number, std::string(longest, '0'));
}

// First of 1, 2, 5, 10, 20, … that is at least `least`; limited so that more than one of `count` is shown.
std::size_t choose_heat_stride(float least, std::size_t count) {
    for (std::size_t power = 1; power < count; power *= 10)
        for (const std::size_t factor : {std::size_t{1}, std::size_t{2}, std::size_t{5}})
            if (static_cast<float>(power * factor) >= least && power * factor < count) return power * factor;
    return static_cast<std::size_t>(std::max(1.0f, std::ceil(least)));
}

struct LegendLabels {
    std::string low, middle, high;  // only the middle one if all values are equal
};

// Uses as many digits as it takes to distinguish the values.
LegendLabels legend_labels(const HeatValues& map) {
    const HeatScale& scale = map.scale;
    const double middle = (scale.low + scale.high) / 2;
    const auto format = [&](double value) {
        if (map.unit != Unit::Ns || !(scale.high > scale.low)) return format_value(value, map.unit);
        const double step = std::pow(10.0, std::floor(std::log10((scale.high - scale.low) / 4)));
        return format_time_offset(Duration{std::llround(value)},
                                  Duration{std::max<std::int64_t>(1, std::llround(step))});
    };
    if (!(scale.high > scale.low)) return {.low = {}, .middle = format(middle), .high = {}};
    const bool both_ends = scale.cut && scale.both_signs;
    return {.low = (both_ends ? "\xE2\x89\xA4 " : "") + format(scale.low),
            .middle = format(middle),
            .high = (scale.cut ? "\xE2\x89\xA5 " : "") + format(scale.high)};
}

float legend_width(const HeatValues& map, const TextMetrics& metrics) {
    if (!map.has_legend) return 0;
    const LegendLabels labels = legend_labels(map);
    float width = 0;
    for (const std::string* label : {&labels.low, &labels.middle, &labels.high})
        width = std::max(width, metrics.length(18) + metrics.width(ChartFace::Number, *label));
    return width;
}

// Calls `visit` with row, column and value of each value that shares a grid cell.
template <class Visit>
void visit_shared(const HeatValues& map, const HeatGrid& grid, std::size_t grid_row, std::size_t grid_column,
                  Visit visit) {
    const std::size_t row = grid_row * grid.rows_per_cell;
    const std::size_t column = grid_column * grid.columns_per_cell;
    for (std::size_t r = row; r < std::min(map.rows.size(), row + grid.rows_per_cell); ++r)
        for (std::size_t c = column; c < std::min(map.columns.size(), column + grid.columns_per_cell); ++c)
            visit(r, c, map.at(r, c));
}

}  // namespace

double HeatValues::at(std::size_t row, std::size_t column) const {
    const std::size_t place = row * columns.size() + column;
    return place < values.size() ? values[place] : std::nan("");
}

std::size_t HeatGrid::rows(const HeatValues& map) const { return divide_up(map.rows.size(), rows_per_cell); }
std::size_t HeatGrid::columns(const HeatValues& map) const { return divide_up(map.columns.size(), columns_per_cell); }

ChartPoint HeatLayout::max() const {
    return {min.x + grid.cell_width * static_cast<float>(columns), min.y + grid.cell_height * static_cast<float>(rows)};
}

ChartPoint HeatLayout::corner(std::size_t row, std::size_t column) const {
    return {std::floor(min.x + grid.cell_width * static_cast<float>(column)),
            std::floor(min.y + grid.cell_height * static_cast<float>(row))};
}

ChartBox HeatLayout::cell(std::size_t row, std::size_t column, const TextMetrics& metrics) const {
    const float least = metrics.length(6);
    const float gap = grid.cell_width >= least && grid.cell_height >= least ? 1.0f : 0.0f;
    const ChartPoint end = corner(row + 1, column + 1);
    return {corner(row, column), {end.x - gap, end.y - gap}};
}

HeatGrid find_heat_grid(const HeatValues& map, ChartPoint plot, std::size_t most_cells, const TextMetrics& metrics) {
    HeatGrid grid;
    for (float least = metrics.length(kLeastCell);; least *= 1.25f) {
        const auto fitting = [least](float room) {
            return std::max<std::size_t>(1, static_cast<std::size_t>(room / least));
        };
        grid.rows_per_cell = divide_up(std::max<std::size_t>(1, map.rows.size()), fitting(plot.y));
        grid.columns_per_cell = divide_up(std::max<std::size_t>(1, map.columns.size()), fitting(plot.x));
        if (grid.rows(map) * grid.columns(map) <= most_cells) break;
    }
    const auto side = [](float room, std::size_t count, float most) {
        return std::clamp(room / static_cast<float>(std::max<std::size_t>(1, count)), 1.0f, most);
    };
    grid.cell_width = side(plot.x, grid.columns(map), metrics.length(kMostWidth));
    grid.cell_height = side(plot.y, grid.rows(map), metrics.length(kMostHeight));
    if (grid.cell_height >= metrics.length(8)) grid.cell_height = std::floor(grid.cell_height);
    return grid;
}

float find_heat_margin(const HeatValues& map, const TextMetrics& metrics) {
    const float legend = legend_width(map, metrics);
    return widest_label(map.rows, metrics) + metrics.length(10) +
           (legend > 0 ? legend + metrics.length(kLegendGap) : 0);
}

HeatLayout lay_out_heat_map(const HeatValues& map, const ChartBox& area, std::size_t most_cells,
                            const TextMetrics& metrics) {
    const float left = widest_label(map.rows, metrics) + metrics.length(10);
    const float below = metrics.length(kBelowCells);
    const ChartPoint plot{std::max(metrics.length(20), area.width() - find_heat_margin(map, metrics)),
                          std::max(metrics.length(8), area.height() - below)};
    HeatLayout layout;
    layout.min = {area.min.x + left, area.min.y + metrics.length(2)};
    layout.grid = find_heat_grid(map, plot, most_cells, metrics);
    layout.rows = layout.grid.rows(map);
    layout.columns = layout.grid.columns(map);
    layout.legend = legend_width(map, metrics);
    layout.legend_height =
        std::max(layout.max().y - layout.min.y, std::min(metrics.length(kLeastLegend), area.height() - below));
    layout.right = std::min(area.max.x, layout.max().x + metrics.length(kLegendGap) + layout.legend);
    return layout;
}

HeatCell find_greatest(const HeatValues& map, const HeatGrid& grid, std::size_t grid_row, std::size_t grid_column) {
    HeatCell greatest{grid_row * grid.rows_per_cell, grid_column * grid.columns_per_cell};
    double most = -1;
    visit_shared(map, grid, grid_row, grid_column, [&](std::size_t row, std::size_t column, double value) {
        if (!(std::abs(value) > most)) return;
        most = std::abs(value);
        greatest = {row, column};
    });
    return greatest;
}

double find_mean(const HeatValues& map, const HeatGrid& grid, std::size_t grid_row, std::size_t grid_column) {
    double sum = 0;
    std::size_t known = 0;
    visit_shared(map, grid, grid_row, grid_column, [&](std::size_t, std::size_t, double value) {
        if (!std::isfinite(value)) return;
        sum += value;
        ++known;
    });
    return known > 0 ? sum / static_cast<double>(known) : std::nan("");
}

std::string heat_range_label(std::span<const std::string> labels, std::size_t first, std::size_t count) {
    const std::size_t last = std::min(labels.size(), first + count) - 1;
    return last == first ? labels[first] : labels[first] + "\xE2\x80\x93" + labels[last];
}

void add_heat_labels(const HeatValues& map, const HeatLayout& layout, const TextMetrics& metrics, ChartShapes& shapes) {
    using enum ChartShape::Align;
    const float line = metrics.height(ChartFace::Number);
    const std::size_t row_stride = choose_heat_stride((line + 2) / layout.grid.cell_height, layout.rows);
    for (std::size_t row = 0; row < layout.rows; row += row_stride) {
        const float y = layout.corner(row, 0).y + std::floor((layout.grid.cell_height - line) / 2) - metrics.length(1);
        shapes.text(ChartRole::Tick, ChartFace::Number,
                    {layout.min.x - metrics.length(6), std::max(y, layout.min.y - metrics.length(4))},
                    map.rows[row * layout.grid.rows_per_cell], Right);
    }
    const float widest = widest_label(map.columns, metrics) + metrics.length(8);
    const std::size_t stride = choose_heat_stride(widest / layout.grid.cell_width, layout.columns);
    const float y = layout.max().y + metrics.length(3);
    for (std::size_t column = 0; column < layout.columns; column += stride) {
        const std::string& label = map.columns[column * layout.grid.columns_per_cell];
        const float middle = layout.corner(0, column).x + layout.grid.cell_width / 2;
        const float half = metrics.width(ChartFace::Number, label) / 2;
        shapes.text(ChartRole::Tick, ChartFace::Number, {std::max(layout.min.x, middle - half), y}, label);
    }
}

std::array<HeatStep, kHeatSteps> find_heat_steps(const HeatValues& map, const HeatLayout& layout,
                                                 const TextMetrics& metrics) {
    std::array<HeatStep, kHeatSteps> steps{};
    const float x = layout.right - layout.legend;
    for (std::size_t i = 0; i < kHeatSteps; ++i) {
        const double share = 1 - (static_cast<double>(i) + 0.5) / kHeatSteps;
        const auto y = [&](std::size_t step) {
            return std::floor(layout.min.y + layout.legend_height * static_cast<float>(step) / kHeatSteps);
        };
        steps[i] = {.value = map.scale.low + share * (map.scale.high - map.scale.low),
                    .box = {{x, y(i)}, {x + metrics.length(kLegendBar), y(i + 1)}}};
    }
    return steps;
}

void add_heat_legend_labels(const HeatValues& map, const HeatLayout& layout, const TextMetrics& metrics,
                            ChartShapes& shapes) {
    const float line = metrics.height(ChartFace::Number);
    const float height = layout.legend_height;
    const float x = layout.right - layout.legend + metrics.length(kLegendBar) + metrics.length(6);
    const LegendLabels labels = legend_labels(map);
    const auto add = [&](float y, const std::string& words) {
        shapes.text(ChartRole::Value, ChartFace::Number, {x, y}, words);
    };
    add(layout.min.y - metrics.length(3), labels.high);
    if (labels.high.empty() || height > 5 * line)
        add(layout.min.y + height / 2 - line / 2 - metrics.length(1), labels.middle);
    add(layout.min.y + height - line, labels.low);
}

}  // namespace core
