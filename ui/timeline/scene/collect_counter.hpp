#pragma once
// A counter as a step plot: the minimum and maximum of each pixel column, so that no peak is lost,
// and the rectangles that draw them. A value holds until the next one, the last until its rank
// ends. Pure; any thread. Cost follows columns.

#include "ui/timeline/model/counter_view.hpp"
#include "ui/timeline/scene/collect_visible.hpp"

#include <optional>

namespace ui {

// Range of values of a plot; always includes zero.
struct CounterScale {
    double bottom = 0;
    double top = 1;
    bool operator==(const CounterScale&) const = default;
};
// Scale over all time, so that panning changes nothing, and over all lines of a plot.
CounterScale choose_scale(std::span<const CounterView>);

// Values per column; empty before the first.
void collect_counter(const CounterView&, const core::RankSlot&, const TimeView&, std::span<core::ValueRange> columns);

// The value at a time; nullopt before the first and in gaps.
std::optional<double> counter_value_at(const CounterView&, const core::RankSlot&, core::RunTime);

struct PlotRect {              // px: columns of the plot, rows from the top of its own area
    std::int32_t x0 = 0;
    std::int32_t x1 = 0;
    std::int32_t y0 = 0;
    std::int32_t y1 = 0;
    bool operator==(const PlotRect&) const = default;
};
// The step line, `thickness` px thick, in an area `height` px high. Merges equal neighbours.
void plot_steps(std::span<const core::ValueRange> columns, const CounterScale&, std::int32_t height,
                std::int32_t thickness, std::vector<PlotRect>& out);
// Area between the line and zero.
void plot_area(std::span<const core::ValueRange> columns, const CounterScale&, std::int32_t height,
               std::vector<PlotRect>& out);
// Columns whose highest value is this one, over the whole height.
void plot_band(std::span<const core::ValueRange> columns, double value, std::int32_t height,
               std::vector<PlotRect>& out);

}  // namespace ui
