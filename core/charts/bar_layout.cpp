#include "core/charts/bar_layout.hpp"

#include "core/charts/thin_out.hpp"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr std::size_t kMeasuredRows = 512;  // measuring every row of a long list would cost more than drawing it
constexpr std::string_view kNoBar = "\xE2\x80\x93";

double finite_or_zero(double value) { return std::isfinite(value) ? value : 0; }

bool has_room_for_ticks(const Axis& axis, float plot_width, const TextMetrics& metrics) {
    return (find_widest_tick(axis, metrics) + metrics.length(8)) * static_cast<float>(axis.ticks() - 1) <= plot_width;
}

std::string number_of(const Bars& bars, std::size_t row) { return bars.number ? bars.number(row) : std::string(); }

struct BarPlace {
    const Bars& bars;
    const BarLayout& layout;
    const TextMetrics& metrics;
    ChartShapes& shapes;
};

// Adds the percentage of a part if it fits on it.
void add_share(const BarPlace& place, const ChartBox& box, std::size_t part, double share) {
    const std::string label = format_value(share, Unit::Ratio);
    const float width = place.metrics.width(ChartFace::Small, label);
    if (box.width() <= width + place.metrics.length(10)) return;
    const float height = place.metrics.height(ChartFace::Small);
    const ChartPoint at{(box.min.x + box.max.x) / 2, box.min.y + (place.layout.bar - height) / 2};
    place.shapes.text(ChartRole::Share, ChartFace::Small, at, label, ChartShape::Align::Middle).part = part;
}

// Adds one bar. Parts follow each other on their side of 0, with a pixel between them.
void add_parts(const BarPlace& place, const BarRow& row, ChartPoint at) {
    const auto& [bars, layout, metrics, shapes] = place;
    const double scale = bars.share ? row.above() : layout.axis.most;
    const HorizontalAxis axis = layout.on_axis(at.x);
    double above = 0;
    double below = 0;
    for (std::size_t p = 0; p < bars.parts && scale > 0; ++p) {
        const double value = finite_or_zero(row.values[p]);
        if (value == 0) continue;
        double& sum = value < 0 ? below : above;
        const double from = sum;
        sum += value;
        const auto x = [&](double v) { return axis.x(v / scale * layout.axis.most); };
        const float begin = x(std::min(from, sum));
        const float end = x(std::max(from, sum));
        const float gap = p + 1 < bars.parts ? 1.0f : 0.0f;
        const ChartBox box{{begin, at.y}, {std::max(begin + 1, end - gap), at.y + layout.bar}};
        ChartShape& part = shapes.rect(ChartRole::Part, box);
        part.part = p;
        part.gap = std::max(0.0f, end - box.max.x);
        if (bars.parts > 1 && row.below() == 0 && !bars.paired()) add_share(place, box, p, value / row.above());
    }
}

void add_hatching(const BarPlace& place, const BarRow& row, ChartPoint at) {
    const BarLayout& layout = place.layout;
    const HorizontalAxis axis = layout.on_axis(at.x);
    const bool whole = place.bars.share && row.above() > 0;
    place.shapes.hatch({{whole ? at.x : axis.x(row.below()), at.y},
                        {whole ? at.x + layout.plot_width : axis.x(row.above()), at.y + layout.bar}});
}

// Adds both bars of a row; a bar that is missing leaves a note of why.
void add_both_bars(const BarPlace& place, std::size_t index, ChartPoint at) {
    const auto& [bars, layout, metrics, shapes] = place;
    for (const Side side : kSides) {
        const bool second = side == Side::Candidate;
        const BarRow& row = (second ? bars.candidates : bars.rows)[index];
        const ChartPoint bar{at.x, at.y + (second ? layout.bar + 1 : 0)};
        shapes.set_datum(index, side);
        if (row.known()) {
            add_parts(place, row, bar);
            if (second) add_hatching(place, row, bar);
            continue;
        }
        const float y = bar.y + (layout.bar - metrics.height(ChartFace::Small)) / 2 - metrics.length(1);
        const std::string words = row.missing ? only_in(other_side(side)) : std::string(kNoBar);
        shapes.text(ChartRole::Gap, ChartFace::Small, {bar.x + metrics.length(4), y}, words).room =
            layout.plot_width - metrics.length(4);
    }
}

}  // namespace

double BarRow::above() const {
    double sum = 0;
    for (const double value : values) sum += std::max(0.0, finite_or_zero(value));
    return sum;
}

double BarRow::below() const {
    double sum = 0;
    for (const double value : values) sum += std::min(0.0, finite_or_zero(value));
    return sum;
}

HorizontalAxis BarLayout::on_axis(float left) const {
    return {.axis = axis, .left = left, .width = plot_width, .right = left + plot_width + value_width};
}

ChartBox BarLayout::bars(const Bars& of, ChartPoint row) const {
    const float height = of.paired() ? 2 * bar + 1 : bar;
    const ChartPoint min{row.x + label_width, row.y + std::floor((pitch - height) / 2)};
    return {min, {min.x + plot_width, min.y + height}};
}

float find_bar_pitch(const Bars& bars, float height, const TextMetrics& metrics) {
    const auto rows = static_cast<float>(std::max<std::size_t>(1, bars.rows.size()));
    return std::clamp(std::floor((height - metrics.length(kBarAxisHeight)) / rows),
                      metrics.length(bars.paired() ? 22 : 17), metrics.length(bars.paired() ? 40 : 26));
}

Axis find_bar_axis(const Bars& bars, float plot_width, const TextMetrics& metrics) {
    Axis axis = make_share_axis();
    if (bars.share) {
        while (axis.step < axis.most && !has_room_for_ticks(axis, plot_width, metrics)) axis.step *= 2;
        return axis;
    }
    double most = 0;
    double least = 0;
    for (const std::span<const BarRow> rows : {bars.rows, bars.candidates}) {
        for (const BarRow& row : rows) {
            most = std::max(most, row.above());
            least = std::min(least, row.below());
        }
    }
    for (int ticks = std::max(3, static_cast<int>(plot_width / metrics.length(84))); ticks > 0; --ticks) {
        axis = make_axis(least, most, bars.unit, ticks);
        if (has_room_for_ticks(axis, plot_width, metrics)) return axis;
    }
    if (axis.least == 0) axis.step = axis.most;
    return axis;
}

BarLayout lay_out_bars(const Bars& bars, float width, float pitch, float margin, const TextMetrics& metrics) {
    float label = 0;
    float number = 0;
    visit_sample(bars.rows.size(), kMeasuredRows, [&](std::size_t i) {
        label = std::max(label, metrics.width(ChartFace::Label, bars.rows[i].label));
        number = std::max(number, metrics.width(ChartFace::Number, number_of(bars, i)));
    });
    BarLayout layout;
    layout.width = width - margin;
    layout.label_width = std::min(label, width * 0.4f) + metrics.length(10);
    layout.value_width = number + metrics.length(10) + margin;
    layout.plot_width = std::max(metrics.length(40), width - layout.label_width - layout.value_width);
    layout.pitch = pitch;
    if (bars.paired())
        layout.bar = std::floor((pitch - metrics.length(4)) / 2);
    else
        layout.bar = pitch - metrics.length(pitch >= metrics.length(20) ? 6 : 4);
    layout.axis = find_bar_axis(bars, layout.plot_width, metrics);
    return layout;
}

void add_bar_row(const Bars& bars, const BarLayout& layout, std::size_t row, ChartPoint at, const TextMetrics& metrics,
                 ChartShapes& shapes) {
    const float text_y = at.y + (layout.pitch - metrics.height(ChartFace::Label)) / 2 - metrics.length(1);
    shapes.set_datum(row, Side::Baseline);
    shapes.text(ChartRole::Label, ChartFace::Label, {at.x, text_y}, bars.rows[row].label).room =
        layout.label_width - metrics.length(10);
    const BarPlace place{.bars = bars, .layout = layout, .metrics = metrics, .shapes = shapes};
    const ChartPoint bar = layout.bars(bars, at).min;
    if (bars.paired())
        add_both_bars(place, row, bar);
    else
        add_parts(place, bars.rows[row], bar);
    shapes.set_datum(row, Side::Baseline);
    shapes.text(ChartRole::Value, ChartFace::Number, {at.x + layout.width, text_y}, number_of(bars, row),
                ChartShape::Align::Right);
}

}  // namespace core
