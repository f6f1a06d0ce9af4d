#include "core/charts/axis_shapes.hpp"

#include <algorithm>
#include <cmath>

namespace core {

float find_widest_tick(const Axis& axis, const TextMetrics& metrics) {
    float widest = 0;
    for (std::size_t i = 0; i < axis.ticks(); ++i)
        widest = std::max(widest, metrics.width(ChartFace::Number, axis.label(axis.tick(i))));
    return widest;
}

float VerticalAxis::y(double value) const {
    const double share = std::clamp(axis.share(value), 0.0, 1.0);
    return std::floor(plot.max.y - static_cast<float>(share) * plot.height());
}

VerticalAxis lay_out_vertical_axis(const Axis& axis, const ChartBox& area, const TextMetrics& metrics) {
    const float widest = std::max(find_widest_tick(axis, metrics), metrics.width(ChartFace::Number, axis.suffix));
    return {.axis = axis,
            .plot = {{area.min.x + (widest + metrics.length(8)), area.min.y + metrics.length(22)},
                     {area.max.x, area.max.y - metrics.length(18)}},
            .right = area.min.x + widest};
}

void add_vertical_axis(const VerticalAxis& vertical, float top, const TextMetrics& metrics, ChartShapes& shapes) {
    using enum ChartShape::Align;
    const Axis& axis = vertical.axis;
    shapes.text(ChartRole::Tick, ChartFace::Number, {vertical.right, top - metrics.length(2)}, axis.suffix, Right);
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        const float y = vertical.y(axis.tick(i));
        const std::string label = axis.label(axis.tick(i));
        shapes.rect(label == "0" ? ChartRole::Zero : ChartRole::Grid,
                    {{vertical.plot.min.x, y}, {vertical.plot.max.x, y + 1}});
        const float text_y = y - metrics.height(ChartFace::Number) / 2 - metrics.length(1);
        shapes.text(ChartRole::Tick, ChartFace::Number, {vertical.right, text_y}, label, Right);
    }
}

float HorizontalAxis::x(double value) const { return std::floor(left + static_cast<float>(axis.share(value)) * width); }

void add_vertical_grid(const HorizontalAxis& horizontal, float top, float bottom, ChartShapes& shapes) {
    const Axis& axis = horizontal.axis;
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        const float x = horizontal.x(axis.tick(i));
        const bool zero = axis.least < 0 && axis.label(axis.tick(i)) == "0";
        shapes.rect(zero ? ChartRole::Zero : ChartRole::Grid, {{x, top}, {x + 1, bottom}});
    }
}

void add_ticks_below(const HorizontalAxis& horizontal, float top, const TextMetrics& metrics, ChartShapes& shapes) {
    const Axis& axis = horizontal.axis;
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        std::string label = axis.label(axis.tick(i));
        const float number = metrics.width(ChartFace::Number, label);
        if (i + 1 == axis.ticks() && !axis.suffix.empty()) label += " " + axis.suffix;
        const float width = metrics.width(ChartFace::Number, label);
        const float x = horizontal.left + static_cast<float>(axis.share(axis.tick(i))) * horizontal.width;
        const float left = i == 0 ? x : std::min(x - number / 2, horizontal.right - width);
        shapes.text(ChartRole::Tick, ChartFace::Number, {left, top + metrics.length(3)}, label);
    }
}

}  // namespace core
