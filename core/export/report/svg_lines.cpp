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

// Step function: a value holds until the next. Keeps the first, extreme and last values per pixel
// column.
std::string points_of(const Series& series, const LineEnds& ends, const Axis& axis, const svg::Box& plot) {
    const auto span = static_cast<double>(std::max<std::int64_t>(1, ends.time.length().count()));
    const auto x_of = [&](RunTime t) {
        return plot.left + static_cast<double>((t - ends.time.begin).count()) / span * plot.width;
    };
    const auto y_of = [&](double value) { return plot.bottom() - axis.share(value) * plot.height; };
    std::string out;
    const auto add = [&](double x, double value) {
        out += (out.empty() ? "" : " ") + coordinate(x) + "," + coordinate(y_of(value));
    };
    const double column_width = plot.width / static_cast<double>(kLineColumns);
    const std::size_t count = series.time.size();
    std::optional<double> before;
    for (std::size_t i = 0; i < count;) {
        if (!std::isfinite(series.value[i])) {
            ++i;
            continue;
        }
        const double x = x_of(series.time[i]);
        const auto column = std::floor((x - plot.left) / column_width);
        double least = series.value[i], most = series.value[i], last = series.value[i];
        if (before) add(x, *before);
        std::size_t next = i;
        for (; next < count && std::floor((x_of(series.time[next]) - plot.left) / column_width) == column; ++next) {
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
    const svg::Box plot{.left = 64, .top = 12, .width = svg::kWidth - 64 - 12, .height = 210};
    std::string out = svg::open(plot.bottom() + 42, context.title) + svg::vertical_axis(axis, plot);
    std::vector<svg::Swatch> swatches;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::string rank = "rank " + format_rank(run.rank(chosen[i]->slot).key);
        swatches.push_back({rank + ", " + chosen[i]->name, "p-" + std::string(kLineClasses[i])});
        out += "<polyline class=\"l-" + std::string(kLineClasses[i]) + "\" points=\"" +
               points_of(*chosen[i], ends, axis, plot) + "\"><title>" +
               html_text(cut_in_the_middle(swatches.back().name, 400)) + "</title></polyline>\n";
    }
    out += svg::text(plot.left, plot.bottom() + 16, svg::Anchor::Start,
                     format_value(static_cast<double>((ends.time.begin - run.origin()).count()), Unit::Ns));
    out += svg::text(plot.right(), plot.bottom() + 16, svg::Anchor::End,
                     format_value(static_cast<double>((ends.time.end - run.origin()).count()), Unit::Ns));
    out += svg::text(plot.left + plot.width / 2, plot.bottom() + 33, svg::Anchor::Middle, "time since the run began");
    std::vector<std::string> notes = context.notes;
    if (there > chosen.size())
        notes.push_back(std::to_string(chosen.size()) + " of " + counted_noun(there, "series", "series") + ".");
    return svg::figure(svg::legend(swatches, false), out + "</svg>", notes);
}

}  // namespace core
