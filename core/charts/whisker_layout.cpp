#include "core/charts/whisker_layout.hpp"

#include "core/charts/thin_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {
namespace {

constexpr std::size_t kMeasuredLabels = 512;  // measuring all of many thousands would cost more than drawing
constexpr double kFarBeyondMean = 10;
constexpr double kKept = 6;
constexpr std::string_view kNoMean = "\xE2\x80\x93";

struct WhiskerPlace {
    const WhiskerLayout& layout;
    const TextMetrics& metrics;
    ChartShapes& shapes;
    float y(double value) const { return layout.on_axis().y(value); }
};

void add_whisker(const WhiskerPlace& place, const ErrorBar& bar, float x, float width) {
    const TextMetrics& metrics = place.metrics;
    const float thick = std::max(1.0f, metrics.length(1));
    const float cap = std::floor(width * 0.2f);
    const float top = place.y(bar.high);
    const float bottom = place.y(bar.low);
    const ChartRole role = cap < 1 || bar.faded ? ChartRole::FaintWhisker : ChartRole::Whisker;
    place.shapes.rect(role, {{x, top}, {x + thick, bottom}});
    if (cap < 1) return;
    place.shapes.rect(role, {{x - cap, bottom - thick}, {x + cap + thick, bottom}});
    if (bar.high <= place.layout.axis.most) {
        place.shapes.rect(role, {{x - cap, top}, {x + cap + thick, top + thick}});
        return;
    }
    const float side = metrics.length(4);
    place.shapes.triangle(role, {x + thick / 2, top - side}, {x - side, top + 1}, {x + side + thick, top + 1});
}

// Adds one bar with its whisker, or a dash if the run has none.
void add_error_bar(const WhiskerPlace& place, const ErrorBar& bar, float left, float width, bool hatched) {
    const TextMetrics& metrics = place.metrics;
    const float zero = place.y(0);
    if (bar.missing) {
        place.shapes.text(ChartRole::Gap, ChartFace::Small, {left + width / 2, zero - metrics.length(15)}, kNoMean,
                          ChartShape::Align::Middle);
        return;
    }
    const float end = place.y(bar.mean);
    const ChartBox box{{left, std::min(end, zero - 1)}, {left + width, std::max(end, zero)}};
    place.shapes.rect(ChartRole::Part, box);
    if (hatched) place.shapes.hatch(box);
    add_whisker(place, bar, left + std::floor(width / 2), width);
}

float bar_width(const Whiskers& whiskers, float slot, const TextMetrics& metrics) {
    const float most = metrics.length(whiskers.paired() ? 26 : 40);
    return std::clamp(std::floor(slot * (whiskers.paired() ? 0.38f : 0.62f)), 1.0f, most);
}

void add_category(const WhiskerPlace& place, const Whiskers& whiskers, std::size_t i) {
    const float left = place.layout.column(whiskers, i, place.metrics).min.x;
    const float width = bar_width(whiskers, place.layout.slot, place.metrics);
    place.shapes.set_datum(i, Side::Baseline);
    add_error_bar(place, whiskers.bars[i], left, width, false);
    if (!whiskers.paired()) return;
    place.shapes.set_datum(i, Side::Candidate);
    add_error_bar(place, whiskers.candidates[i], place.layout.middle(i) + 1, width, true);
}

std::size_t choose_label_stride(std::span<const ErrorBar> bars, float slot, const TextMetrics& metrics) {
    float widest = 0;
    visit_sample(bars.size(), kMeasuredLabels,
                 [&](std::size_t i) { widest = std::max(widest, metrics.width(ChartFace::Small, bars[i].label)); });
    return static_cast<std::size_t>(std::max(1.0f, std::ceil((widest + metrics.length(6)) / std::max(0.1f, slot))));
}

// Chooses the bars to draw: if several share a pixel column, one that stands out, else the highest.
std::vector<std::size_t> choose_drawn(const Whiskers& whiskers, float width) {
    const auto weight = [](std::span<const ErrorBar> bars, std::size_t i) {
        if (i >= bars.size() || bars[i].missing) return -1.0;
        return bars[i].stands_out ? std::numeric_limits<double>::infinity() : bars[i].mean;
    };
    return pick_greatest(whiskers.bars.size(), static_cast<std::size_t>(std::max(1.0f, width)), [&](std::size_t i) {
        return std::max(weight(whiskers.bars, i), weight(whiskers.candidates, i));
    });
}

}  // namespace

double find_axis_begin(std::span<const ErrorBar> bars) {
    double low = 0;
    for (const ErrorBar& bar : bars) low = std::min({low, bar.mean, bar.low});
    return low;
}

double find_axis_end(std::span<const ErrorBar> bars) {
    double mean = 0;
    double high = 0;
    for (const ErrorBar& bar : bars) {
        mean = std::max(mean, bar.mean);
        high = std::max(high, bar.high);
    }
    return high > kFarBeyondMean * mean && mean > 0 ? kKept * mean : std::max(high, mean);
}

float WhiskerLayout::middle(std::size_t category) const {
    return std::floor(plot.min.x + (static_cast<float>(category) + 0.5f) * slot);
}

std::optional<std::size_t> WhiskerLayout::category_at(float x, std::size_t categories) const {
    if (categories == 0 || !(x >= plot.min.x && x < plot.max.x)) return std::nullopt;
    const std::size_t at = std::min(categories - 1, static_cast<std::size_t>((x - plot.min.x) / slot));
    if (drawn.size() == categories) return at;
    const auto after = std::ranges::upper_bound(drawn, at);
    return after == drawn.begin() ? *after : *(after - 1);
}

ChartBox WhiskerLayout::column(const Whiskers& whiskers, std::size_t category, const TextMetrics& metrics) const {
    const float x = middle(category);
    const float width = bar_width(whiskers, slot, metrics);
    const float left = whiskers.paired() ? x - width : x - std::floor(width / 2);
    return {{left, plot.min.y}, {whiskers.paired() ? x + 1 + width : left + width, plot.max.y}};
}

WhiskerLayout lay_out_whiskers(const Whiskers& whiskers, const ChartBox& area, const TextMetrics& metrics) {
    const int ticks = std::clamp(static_cast<int>(area.height() / metrics.length(36)), 2, 5);
    WhiskerLayout layout;
    layout.axis =
        make_axis(std::min(find_axis_begin(whiskers.bars), find_axis_begin(whiskers.candidates)),
                  std::max(find_axis_end(whiskers.bars), find_axis_end(whiskers.candidates)), whiskers.unit, ticks);
    const VerticalAxis axis = lay_out_vertical_axis(layout.axis, area, metrics);
    layout.plot = axis.plot;
    layout.top = area.min.y;
    layout.axis_end = axis.right;
    layout.slot = layout.plot.width() / static_cast<float>(std::max<std::size_t>(1, whiskers.bars.size()));
    layout.drawn = choose_drawn(whiskers, layout.plot.width());
    layout.label_stride = choose_label_stride(whiskers.bars, layout.slot, metrics);
    return layout;
}

void add_whiskers(const Whiskers& whiskers, const WhiskerLayout& layout, const TextMetrics& metrics,
                  ChartShapes& shapes) {
    const WhiskerPlace place{.layout = layout, .metrics = metrics, .shapes = shapes};
    add_vertical_axis(layout.on_axis(), layout.top, metrics, shapes);
    for (const std::size_t i : layout.drawn) add_category(place, whiskers, i);
    for (std::size_t i = 0; i < whiskers.bars.size(); i += layout.label_stride) {
        shapes.set_datum(i, Side::Baseline);
        shapes.text(ChartRole::Label, ChartFace::Small, {layout.middle(i), layout.plot.max.y + metrics.length(4)},
                    whiskers.bars[i].label, ChartShape::Align::Middle);
    }
}

}  // namespace core
