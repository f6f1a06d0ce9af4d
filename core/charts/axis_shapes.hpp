#pragma once
// Ticks, grid lines and numbers of an axis, next to a plot.

#include "core/charts/axis.hpp"
#include "core/charts/chart_shapes.hpp"

namespace core {

// The widest number on the axis, without its unit.
float find_widest_tick(const Axis&, const TextMetrics&);

// A value axis left of a plot: its unit above, its numbers right-aligned, a grid line for each tick.
struct VerticalAxis {
    const Axis& axis;
    ChartBox plot;
    float right = 0;  // end of the numbers
    float y(double value) const;  // values beyond the axis are placed at its end
};
// Places a vertical axis in the area; the plot takes the rest, less the room for labels below.
VerticalAxis lay_out_vertical_axis(const Axis&, const ChartBox& area, const TextMetrics&);
void add_vertical_axis(const VerticalAxis&, float top, const TextMetrics&, ChartShapes&);

// A value axis below a plot from `left` on. The last number has the unit and may extend to `right`.
struct HorizontalAxis {
    const Axis& axis;
    float left = 0;
    float width = 0;
    float right = 0;
    float x(double value) const;  // rounded to a pixel
};
void add_vertical_grid(const HorizontalAxis&, float top, float bottom, ChartShapes&);
void add_ticks_below(const HorizontalAxis&, float top, const TextMetrics&, ChartShapes&);

}  // namespace core
