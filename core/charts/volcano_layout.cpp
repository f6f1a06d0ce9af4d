#include "core/charts/volcano_layout.hpp"

#include "core/stats/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace core {
namespace {

constexpr float kVolcanoAxis = 20;  // sizes at scale 1
constexpr float kLeastRadius = 2.5f, kMostRadius = 16;
constexpr float kNameWidth = 150;
constexpr std::size_t kMostNamed = 8;  // more names would cover each other

// Changes at which the axis may have a line.
constexpr std::array<double, 15> kRatios = {0.0625, 0.125, 0.25, 0.5, 0.667, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4, 8, 16};

std::optional<VolcanoPoint> volcano_point_of(std::size_t row, const Tested& tested) {
    const std::optional<double> ratio = tested.ratio();
    if (!tested.q || !ratio || *ratio <= 0) return std::nullopt;
    VolcanoPoint point;
    point.row = row;
    point.log2_ratio = std::clamp(std::log2(*ratio), -kMostLog2Ratio, kMostLog2Ratio);
    point.is_certain = *tested.q <= 0;
    point.log10_q = point.is_certain ? kMostLog10Q : std::min(kMostLog10Q, -std::log10(*tested.q));
    point.ns = std::max(tested.samples.baseline.mean, tested.samples.candidate.mean);
    point.verdict = verdict_of(tested);
    return point;
}

std::string ratio_text(double ratio) {
    if (ratio == 1) return "same";
    if (ratio >= 2) return fmt::format("{:g}x", ratio);
    return fmt::format("{:+.0f} %", (ratio - 1) * 100);
}

struct VolcanoPlace {
    ChartPoint min, max;
    const TextMetrics& metrics;
    ChartShapes& shapes;
    double most_x = 0.4, most_y = 2, most_ns = 1;

    ChartPoint at(double log2_ratio, double log10_q) const {
        const double x = 0.5 + 0.5 * log2_ratio / most_x, y = log10_q / most_y;
        return {min.x + static_cast<float>(x) * (max.x - min.x), max.y - static_cast<float>(y) * (max.y - min.y)};
    }
    float radius(double ns) const {
        return metrics.length(std::max(kLeastRadius, kMostRadius * static_cast<float>(std::sqrt(ns / most_ns))));
    }
};

void add_ratio_axis(const VolcanoPlace& place) {
    const auto& metrics = place.metrics;
    float free = place.min.x - metrics.length(20);  // left end of the next label, at least
    for (const double ratio : kRatios) {
        const double log2_ratio = std::log2(ratio);
        if (std::abs(log2_ratio) > place.most_x) continue;
        const float x = std::floor(place.at(log2_ratio, 0).x);
        place.shapes.rect(ratio == 1 ? ChartRole::Zero : ChartRole::Grid, {{x, place.min.y}, {x + 1, place.max.y}});
        const std::string label = ratio_text(ratio);
        const float wide = metrics.width(ChartFace::Number, label);
        if (x - wide / 2 < free) continue;
        place.shapes.text(ChartRole::Tick, ChartFace::Number, {x, place.max.y + metrics.length(3)}, label,
                          ChartShape::Align::Middle);
        free = x + wide / 2 + metrics.length(8);
    }
}

void add_q_axis(const VolcanoPlace& place) {
    using enum ChartShape::Align;
    const auto& metrics = place.metrics;
    const double step = place.most_y > 8 ? 4 : place.most_y > 4 ? 2 : 1;
    for (double q = 0; q <= place.most_y; q += step) {
        const float y = std::floor(place.at(0, q).y);
        place.shapes.rect(ChartRole::Grid, {{place.min.x, y}, {place.max.x, y + 1}});
        place.shapes.text(
            ChartRole::Tick, ChartFace::Number,
            {place.min.x - metrics.length(6), y - metrics.height(ChartFace::Number) / 2 - metrics.length(1)},
            q == 0 ? "q 1" : fmt::format("1e-{:g}", q), Right);
    }
    const float limit = std::floor(place.at(0, -std::log10(stats::kSignificant)).y);
    place.shapes.rect(ChartRole::Limit, {{place.min.x, limit}, {place.max.x, limit + 1}});
    const float above = limit - metrics.height(ChartFace::Small) - metrics.length(2);
    const float top = place.min.y - metrics.length(17);
    place.shapes.text(ChartRole::Hint, ChartFace::Small, {place.max.x, above}, "q 0.05", Right);
    place.shapes.text(ChartRole::Hint, ChartFace::Small, {place.min.x, top}, "faster \xE2\x86\x90");
    place.shapes.text(ChartRole::Hint, ChartFace::Small, {place.max.x, top}, "\xE2\x86\x92 slower", Right);
}

// Places names next to their points, or a line or two lower, as long as they don't cover each other.
class VolcanoNames {
public:
    explicit VolcanoNames(const VolcanoPlace& place) : place_(place) {}
    void add(ChartPoint middle, float radius, std::string_view whole) {
        const TextMetrics& metrics = place_.metrics;
        const std::string name = metrics.fit(ChartFace::Small, whole, metrics.length(kNameWidth));
        const float wide = metrics.width(ChartFace::Small, name);
        const float beside = radius + metrics.length(4);
        const float line = metrics.height(ChartFace::Small);
        const bool fits = middle.x + radius + metrics.length(4) + wide < place_.max.x;
        ChartPoint at{fits ? middle.x + beside : middle.x - beside - wide, middle.y - line / 2};
        for (int down = 0; down < 2 && !is_free(at); ++down) at.y += line + metrics.length(2);
        if (!is_free(at)) return;
        place_.shapes.text(ChartRole::Label, ChartFace::Small, at, name);
        taken_.push_back(at);
    }

private:
    bool is_free(ChartPoint at) const {
        const auto overlaps = [&](ChartPoint taken) {
            return std::abs(taken.y - at.y) < place_.metrics.height(ChartFace::Small) &&
                   std::abs(taken.x - at.x) < place_.metrics.length(kNameWidth);
        };
        return taken_.size() < kMostNamed && std::ranges::none_of(taken_, overlaps);
    }
    const VolcanoPlace& place_;
    std::vector<ChartPoint> taken_;  // left ends
};

}  // namespace

std::vector<VolcanoPoint> find_volcano_points(const RowStatistics& statistics) {
    std::vector<VolcanoPoint> points;
    for (std::size_t row = 0; row < statistics.rows.size(); ++row)
        if (statistics.rows[row])
            if (const auto point = volcano_point_of(row, *statistics.rows[row])) points.push_back(*point);
    std::ranges::stable_sort(points, std::ranges::greater{}, &VolcanoPoint::ns);
    return points;
}

void add_volcano(const Volcano& plot, const ChartBox& area, const TextMetrics& metrics, ChartShapes& shapes) {
    VolcanoPlace place{.min = {area.min.x + metrics.length(44), area.min.y + metrics.length(18)},
                       .max = {area.max.x - metrics.length(10), area.max.y - metrics.length(kVolcanoAxis)},
                       .metrics = metrics,
                       .shapes = shapes};
    for (const VolcanoPoint& p : plot.points) {
        place.most_x = std::max(place.most_x, std::abs(p.log2_ratio) * 1.1);
        place.most_y = std::max(place.most_y, p.log10_q * 1.08);
        place.most_ns = std::max(place.most_ns, p.ns);
    }
    add_ratio_axis(place);
    add_q_axis(place);
    VolcanoNames names(place);
    for (std::size_t i = 0; i < plot.points.size(); ++i) {
        const VolcanoPoint& p = plot.points[i];
        if (plot.shows && !plot.shows(p.verdict)) continue;
        const ChartPoint middle = place.at(p.log2_ratio, p.log10_q);
        shapes.set_datum(i, Side::Baseline);
        shapes.dot(ChartRole::Part, middle, place.radius(p.ns));
        if (p.verdict == RowVerdict::Regressed || p.verdict == RowVerdict::Improved)
            names.add(middle, place.radius(p.ns), plot.name_of(p.row));
    }
}

}  // namespace core
