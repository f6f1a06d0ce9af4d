#include "core/charts/strips_layout.hpp"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr std::size_t kMostDots = 512;  // of a side: more only cover each other

std::string_view strip_name(Side side) { return side == Side::Baseline ? "Baseline" : "Candidate"; }

double mean_of_side(const Tested& tested, Side side) {
    return side == Side::Baseline ? tested.samples.baseline.mean : tested.samples.candidate.mean;
}

// The interval of the change, added to the baseline's mean.
void add_interval(const Tested& tested, const DotScale& scale, float middle, const TextMetrics& metrics,
                  ChartShapes& shapes) {
    if (!tested.samples.welch) return;
    const double from = tested.samples.baseline.mean;
    const float low = scale.x(from + tested.samples.welch->interval.low);
    const float high = scale.x(from + tested.samples.welch->interval.high);
    const float half = metrics.length(4);
    shapes.rect(ChartRole::Interval, {{low, middle - half}, {std::max(high, low + 1), middle + half}}).rounding =
        metrics.length(2);
}

}  // namespace

float DotScale::x(double value) const {
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    return std::floor(left + static_cast<float>(std::clamp(share, 0.0, 1.0)) * width);
}

DotScale find_dot_scale(const Tested& tested, float left, float width) {
    DotScale scale{.left = left, .width = width};
    bool any = false;
    for (const Side side : kSides) {
        for (const double value : tested.values[side]) {
            scale.low = any ? std::min(scale.low, value) : value;
            scale.high = any ? std::max(scale.high, value) : value;
            any = true;
        }
    }
    return scale;
}

void add_dots(const Tested& tested, Side side, const DotScale& scale, float middle, float radius, ChartShapes& shapes) {
    const std::vector<double>& values = tested.values[side];
    for (std::size_t i = 0; i < values.size(); i += values.size() / kMostDots + 1) {
        shapes.set_datum(i, side);
        shapes.dot(ChartRole::Part, {scale.x(values[i]), middle}, radius);
    }
    if (values.empty()) return;
    const float x = scale.x(mean_of_side(tested, side));
    shapes.rect(ChartRole::Mean, {{x - 0.5f, middle - radius * 2}, {x + 1, middle + radius * 2}});
}

DotScale add_dot_strips(const Tested& tested, ChartPoint at, float width, const TextMetrics& metrics,
                        ChartShapes& shapes) {
    float label = 0;
    for (const Side side : kSides) label = std::max(label, metrics.width(ChartFace::Small, strip_name(side)));
    label += metrics.length(10);
    const DotScale scale = find_dot_scale(tested, at.x + label + metrics.length(4),
                                          std::max(metrics.length(20), width - label - metrics.length(12)));
    for (const Side side : kSides) {
        const float top = at.y + (side == Side::Baseline ? 0 : metrics.length(16));
        const float middle = top + metrics.length(8);
        shapes.set_datum(0, side);
        shapes.text(ChartRole::Label, ChartFace::Small, {at.x, top + metrics.length(1)}, strip_name(side));
        shapes.rect(ChartRole::Grid, {{scale.left, middle}, {scale.left + scale.width, middle + 1}});
        if (side == Side::Candidate) add_interval(tested, scale, middle, metrics, shapes);
        add_dots(tested, side, scale, middle, metrics.length(3), shapes);
    }
    return scale;
}

}  // namespace core
