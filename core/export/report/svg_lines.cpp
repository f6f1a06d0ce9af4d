#include "core/charts/axis_shapes.hpp"
#include "core/export/report/svg_chart.hpp"
#include "core/export/report/svg_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace core {
namespace {

constexpr std::size_t kMostLines = 6;
constexpr std::size_t kLineColumns = 400;
constexpr float kLinesHeight = 250;
constexpr std::array<std::string_view, kMostLines> kLineClasses = {"compute", "communication", "memory",
                                                                   "mint",    "violet",        "rose"};

struct LineEnds {
    RunRange time;
    double least = 0;
    double most = 0;
};

LineEnds ends_of(std::span<const Series* const> series) {
    LineEnds ends;
    bool first = true;
    for (const Series* const one : series) {
        for (std::size_t i = 0; i < one->time.size(); ++i) {
            if (!std::isfinite(one->value[i])) continue;
            ends.time.begin = first ? one->time[i] : std::min(ends.time.begin, one->time[i]);
            ends.time.end = first ? one->time[i] : std::max(ends.time.end, one->time[i]);
            ends.least = std::min(ends.least, one->value[i]);
            ends.most = std::max(ends.most, one->value[i]);
            first = false;
        }
    }
    return ends;
}

// Points of a step function: a value holds until the next. Keeps the first, extreme and last values
// of each pixel column.
std::string points_of(const Series& series, const LineEnds& ends, const VerticalAxis& axis) {
    const auto span = static_cast<double>(std::max<std::int64_t>(1, ends.time.length().count()));
    const auto left = static_cast<double>(axis.plot.min.x);
    const auto width = static_cast<double>(axis.plot.width());
    const auto x_of = [&](RunTime t) {
        return left + static_cast<double>((t - ends.time.begin).count()) / span * width;
    };
    std::string out;
    const auto add = [&](double x, double value) {
        out += (out.empty() ? "" : " ") + coordinate(x) + "," + coordinate(static_cast<double>(axis.y(value)));
    };
    const double column_width = width / static_cast<double>(kLineColumns);
    const std::size_t count = series.time.size();
    std::optional<double> before;
    for (std::size_t i = 0; i < count;) {
        if (!std::isfinite(series.value[i])) {
            ++i;
            continue;
        }
        const double x = x_of(series.time[i]);
        const auto column = std::floor((x - left) / column_width);
        double least = series.value[i], most = series.value[i], last = series.value[i];
        if (before) add(x, *before);
        std::size_t next = i;
        for (; next < count && std::floor((x_of(series.time[next]) - left) / column_width) == column; ++next) {
            if (!std::isfinite(series.value[next])) continue;
            last = series.value[next];
            least = std::min(least, last);
            most = std::max(most, last);
        }
        if (next > i + 1) {
            add(x, least);
            add(x, most);
        }
        add(x, last);
        before = last;
        i = next;
    }
    return out;
}

// The value axis, and both ends of the time axis.
std::string draw_line_axes(const VerticalAxis& vertical, const LineEnds& ends, const Run& run) {
    using enum ChartShape::Align;
    ChartShapes shapes;
    add_vertical_axis(vertical, 2, svg::page_metrics(), shapes);
    const auto add = [&](float x, ChartShape::Align align, const std::string& words) {
        shapes.text(ChartRole::Tick, ChartFace::Number, {x, vertical.plot.max.y + 4}, words, align);
    };
    const auto time_text = [&](RunTime time) {
        return format_value(static_cast<double>((time - run.origin()).count()), Unit::Ns);
    };
    add(vertical.plot.min.x, Left, time_text(ends.time.begin));
    add(vertical.plot.max.x, Right, time_text(ends.time.end));
    add((vertical.plot.min.x + vertical.plot.max.x) / 2, Middle, "time since the run began");
    return svg::write_shapes(shapes.all(), [](const ChartShape& shape) { return svg::look_of_role(shape.role); });
}

}  // namespace

std::string lines_to_svg(std::span<const Series> series, const Run& run, const SvgContext& context) {
    std::vector<const Series*> chosen;
    std::size_t there = 0;
    for (const Series& one : series) {
        if (one.time.size() < 2) continue;
        ++there;
        const bool fits = chosen.empty() || one.unit == chosen.front()->unit;
        if (fits && chosen.size() < kMostLines) chosen.push_back(&one);
    }
    if (chosen.empty()) return {};
    const LineEnds ends = ends_of(chosen);
    const Axis axis = make_axis(ends.least, ends.most, chosen.front()->unit, 4);
    const VerticalAxis vertical =
        lay_out_vertical_axis(axis, {{4, 2}, {svg::kWidth, kLinesHeight}}, svg::page_metrics());
    std::string out = svg::open(kLinesHeight, context.title) + draw_line_axes(vertical, ends, run);
    std::vector<svg::Swatch> swatches;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::string rank = "rank " + format_rank(run.rank(chosen[i]->slot).key);
        swatches.push_back({rank + ", " + chosen[i]->name, "p-" + std::string(kLineClasses[i])});
        out += "<polyline class=\"l-" + std::string(kLineClasses[i]) + "\" points=\"" +
               points_of(*chosen[i], ends, vertical) + "\"><title>" +
               html_text(cut_in_the_middle(swatches.back().name, 400)) + "</title></polyline>\n";
    }
    std::vector<std::string> notes = context.notes;
    if (there > chosen.size())
        notes.push_back(std::to_string(chosen.size()) + " of " + counted_noun(there, "series", "series") + ".");
    return svg::figure(svg::legend(swatches, false), out + "</svg>", notes);
}

}  // namespace core
