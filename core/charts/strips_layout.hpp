#pragma once
// Layout of the values of two sides as dots on one axis, the baseline above the candidate, with the
// means, and with the interval that holds the candidate's mean, from the interval of the change.

#include "core/charts/chart_shapes.hpp"
#include "core/diff/join/tested.hpp"

namespace core {

inline constexpr float kStripsHeight = 34;  // at scale 1

// The axis of both sides' values. Without values, everything is placed in its middle.
struct DotScale {
    double low = 0;
    double high = 0;
    float left = 0;
    float width = 0;
    float x(double value) const;
};
DotScale find_dot_scale(const Tested&, float left, float width);

// Dots of one side and the line of its mean; the item of a dot is its value. At most 512 are drawn.
void add_dots(const Tested&, Side, const DotScale&, float middle, float radius, ChartShapes&);
// Both sides with names and the interval. Returns the scale, for further texts.
DotScale add_dot_strips(const Tested&, ChartPoint at, float width, const TextMetrics&, ChartShapes&);

}  // namespace core
