#include "core/export/report/svg_chart.hpp"
#include "core/export/report/svg_page.hpp"
#include "core/index/class_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace core {
namespace {

using svg::Anchor;
using svg::Box;

constexpr std::size_t kBarLabel = 38;    // characters of a name next to its bar
constexpr double kFarWhisker = 3;        // whiskers beyond this multiple of the largest mean leave the plot

std::string class_of_part(const ChartModel& model, std::size_t part) {
    constexpr std::array<std::string_view, 8> kSets = {"p-idle",   "p-compute", "p-communication", "p-violet",
                                                       "p-memory", "p-mint",    "p-rose",          "p-mixed"};
    constexpr std::array<std::string_view, 8> kOthers = {"p-compute", "p-communication", "p-memory", "p-mint",
                                                         "p-violet",  "p-rose",          "p-olive",  "p-slate"};
    const std::string& name = model.parts[part];
    for (unsigned set = 0; model.parts_are_sets && set < kClassSets; ++set)
        if (name_of_set(static_cast<ClassSet>(set)) == name) return std::string(kSets[set % kSets.size()]);
    if (name == "longer") return "p-rose";
    if (name == "shorter") return "p-mint";
    if (name == "idle" || (model.has_others && part + 1 == model.parts.size())) return "p-idle";
    if (name == "compute") return "p-compute";
    if (name.ends_with("communication")) return "p-communication";
    if (name.ends_with("memory")) return "p-memory";
    return std::string(kOthers[part % kOthers.size()]);
}

// Parts are columns of the analysis, or names in its table.
std::string name_of_part(const ChartModel& model, std::size_t part) {
    return model.split ? cut_in_the_middle(model.parts[part], 400) : spoken_name(model.parts[part]);
}

double sum_above(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += std::isfinite(value) && value > 0 ? value : 0;
    return sum;
}
double sum_below(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += std::isfinite(value) && value < 0 ? value : 0;
    return sum;
}

// Merges `count` items from `first` on: means of known values, for error bars the extremes.
ChartModel::Item together(const ChartModel& from, std::size_t first, std::size_t count) {
    const std::span<const ChartModel::Item> items = std::span(from.items).subspan(first, count);
    ChartModel::Item one{.label = items.front().label,
                         .values = std::vector<double>(items.front().values.size(), 0.0),
                         .row = items.front().row,
                         .known = false};
    if (count > 1) one.label += "\xE2\x80\x93" + items.back().label;
    double known = 0;
    for (const ChartModel::Item& item : items) {
        if (!item.known) continue;
        for (std::size_t v = 0; v < one.values.size(); ++v) {
            const bool is_extreme = from.kind == ChartKind::ErrorBars && v > 0;
            if (!is_extreme)
                one.values[v] += item.values[v];
            else if (!one.known)
                one.values[v] = item.values[v];
            else
                one.values[v] =
                    v == 1 ? std::min(one.values[v], item.values[v]) : std::max(one.values[v], item.values[v]);
        }
        one.known = true;
        ++known;
    }
    const std::size_t means = from.kind == ChartKind::ErrorBars ? 1 : one.values.size();
    for (std::size_t v = 0; v < means && known > 0; ++v) one.values[v] /= known;
    return one;
}

void join_neighbours(ChartModel& model, std::size_t together_at_once) {
    std::vector<ChartModel::Item> items;
    for (std::size_t first = 0; first < model.items.size(); first += together_at_once)
        items.push_back(together(model, first, std::min(together_at_once, model.items.size() - first)));
    model.items = std::move(items);
}

void keep_items(ChartModel& model, const std::vector<std::size_t>& kept) {
    std::vector<ChartModel::Item> items;
    for (const std::size_t i : kept) items.push_back(model.items[i]);
    model.items = std::move(items);
}

struct BarChart {
    ChartModel model;
    std::optional<ChartModel> candidate;
    const SvgContext* context = nullptr;
    std::vector<std::string> notes;

    bool has_whiskers() const { return model.kind == ChartKind::ErrorBars; }
    std::size_t sides() const { return candidate ? 2 : 1; }
    const ChartModel& side(std::size_t s) const { return s == 0 ? model : *candidate; }
    double weight(std::size_t item) const {
        double most = 0;
        for (std::size_t s = 0; s < sides(); ++s) {
            const std::vector<double>& values = side(s).items[item].values;
            most = std::max(most, has_whiskers() ? std::abs(values[0]) : sum_above(values) - sum_below(values));
        }
        return most;
    }
};

void thin_out(BarChart& chart, bool numbered) {
    const std::size_t count = chart.model.items.size();
    if (numbered && count > kMostBars) {
        const std::size_t at_once = (count + kMostBars - 1) / kMostBars;
        join_neighbours(chart.model, at_once);
        if (chart.candidate) join_neighbours(*chart.candidate, at_once);
        chart.notes.push_back("Each bar is the mean of " + std::to_string(at_once) + " neighbours.");
    }
    if (numbered) return;
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return chart.weight(i); });
    if (count > kMostNamedBars) {
        order.resize(kMostNamedBars);
        chart.notes.push_back("The " + std::to_string(kMostNamedBars) + " largest of " +
                              counted_noun(count, "name", "names") + ".");
    }
    keep_items(chart.model, order);
    if (chart.candidate) keep_items(*chart.candidate, order);
}

Axis bar_axis(const BarChart& chart) {
    double least = 0, most = 0, largest_mean = 0;
    for (std::size_t s = 0; s < chart.sides(); ++s) {
        for (const ChartModel::Item& item : chart.side(s).items) {
            if (!item.known) continue;
            if (chart.has_whiskers()) {
                largest_mean = std::max(largest_mean, std::abs(item.values[0]));
                least = std::min({least, item.values[0], item.values[1]});
                most = std::max({most, item.values[0], item.values[2]});
            } else {
                least = std::min(least, sum_below(item.values));
                most = std::max(most, sum_above(item.values));
            }
        }
    }
    if (chart.has_whiskers() && largest_mean > 0) {
        most = std::min(most, kFarWhisker * largest_mean);
        least = std::max(least, -kFarWhisker * largest_mean);
    }
    return make_axis(least, most, chart.model.unit, 4);
}

// Maps a bar (two values along the axis, a band across it) to a rectangle; columns and rows differ
// only here.
struct BarFrame {
    const Axis* axis;
    Box plot;
    bool is_column = true;
    double place(double value) const {
        const double share = std::clamp(axis->share(value), 0.0, 1.0);
        return is_column ? plot.bottom() - share * plot.height : plot.left + share * plot.width;
    }
    Box box(double from, double to, double band, double thickness) const {
        const double a = place(from), b = place(to);
        return is_column ? Box{.left = band, .top = std::min(a, b), .width = thickness, .height = std::abs(a - b)}
                         : Box{.left = std::min(a, b), .top = band, .width = std::abs(a - b), .height = thickness};
    }
    std::string stroke(double from, double to, double middle, std::string_view css) const {
        const double a = place(from), b = place(to);
        return is_column ? svg::line(middle, a, middle, b, css) : svg::line(a, middle, b, middle, css);
    }
    // An arrow if the value is beyond the axis.
    std::string cap(double value, double middle, double half) const {
        const double a = place(value);
        if (const double share = axis->share(value); share < 0 || share > 1) {
            const double back = (share > 1) == is_column ? 6 : -6;
            const auto side = [&](double off) {
                return is_column ? svg::line(middle + off, a + back, middle, a, "whisker")
                                 : svg::line(a + back, middle + off, a, middle, "whisker");
            };
            return side(-half) + side(half);
        }
        return is_column ? svg::line(middle - half, a, middle + half, a, "whisker")
                         : svg::line(a, middle - half, a, middle + half, "whisker");
    }
};

std::string name_of_item(const BarChart& chart, std::size_t side, const ChartModel::Item& item) {
    const std::string name = chart.model.is_rank ? "rank " + item.label : cut_in_the_middle(item.label, 400);
    return (chart.candidate ? (side == 0 ? "baseline, " : "candidate, ") : "") + name;
}

std::string draw_whiskers(const BarChart& chart, std::size_t side, const ChartModel::Item& item, const BarFrame& frame,
                          double band, double thickness) {
    const Unit unit = chart.model.unit;
    const std::string title = name_of_item(chart, side, item) + "\nmean " + format_value(item.values[0], unit) +
                              "\nfrom " + format_value(item.values[1], unit) + " to " +
                              format_value(item.values[2], unit);
    const Box bar = frame.box(0, item.values[0], band, thickness);
    std::string out = svg::rect(bar, "p-compute", title);
    if (side == 1) out += svg::rect(bar, "hatch", title);
    const double middle = band + thickness / 2;
    out += frame.stroke(item.values[1], item.values[2], middle, "whisker");
    const double half = std::min(4.0, thickness / 3);
    return out + frame.cap(item.values[1], middle, half) + frame.cap(item.values[2], middle, half);
}

std::string draw_stack(const BarChart& chart, std::size_t side, const ChartModel::Item& item, const BarFrame& frame,
                       double band, double thickness) {
    std::string out;
    double above = 0, below = 0;
    const std::string name = name_of_item(chart, side, item);
    for (std::size_t p = 0; p < item.values.size(); ++p) {
        const double value = item.values[p];
        if (!std::isfinite(value) || value == 0) continue;
        double& from = value > 0 ? above : below;
        out += svg::rect(frame.box(from, from + value, band, thickness), class_of_part(chart.model, p),
                         name + "\n" + name_of_part(chart.model, p) + ": " + format_value(value, chart.model.unit));
        from += value;
    }
    if (side == 1) out += svg::rect(frame.box(below, above, band, thickness), "hatch");
    return out;
}

std::string draw_item(const BarChart& chart, std::size_t item, const BarFrame& frame, double band, double thickness) {
    std::string out;
    const double each = thickness / static_cast<double>(chart.sides());
    for (std::size_t s = 0; s < chart.sides(); ++s) {
        const ChartModel::Item& one = chart.side(s).items[item];
        if (!one.known) continue;
        const double at = band + static_cast<double>(s) * each;
        out += chart.has_whiskers() ? draw_whiskers(chart, s, one, frame, at, each)
                                    : draw_stack(chart, s, one, frame, at, each);
    }
    return out;
}

std::string draw_columns(const BarChart& chart, std::string_view title) {
    const Axis axis = bar_axis(chart);
    const Box plot{.left = 64, .top = 12, .width = svg::kWidth - 64 - 12, .height = 210};
    std::string out = svg::open(plot.bottom() + 42, chart.context->title) + svg::vertical_axis(axis, plot);
    const BarFrame frame{.axis = &axis, .plot = plot, .is_column = true};
    const std::size_t count = chart.model.items.size();
    const double pitch = plot.width / static_cast<double>(count);
    const double thickness = std::min(pitch * 0.74, 56.0);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < count; ++i) {
        const double middle = plot.left + (static_cast<double>(i) + 0.5) * pitch;
        out += draw_item(chart, i, frame, middle - thickness / 2, thickness);
        labels.push_back(chart.model.items[i].label);
    }
    return out + svg::labels_below(plot, labels, title) + "</svg>";
}

std::string value_beside(const BarChart& chart, std::size_t item) {
    const ChartModel& last = chart.side(chart.sides() - 1);
    const ChartModel::Item& one = last.items[item].known ? last.items[item] : chart.model.items[item];
    if (!one.known) return "\xE2\x80\x93";
    const double value = chart.has_whiskers() ? one.values[0] : sum_above(one.values) + sum_below(one.values);
    return chart.context->of_changes ? signed_value(value, chart.model.unit) : format_value(value, chart.model.unit);
}

std::string draw_rows(const BarChart& chart) {
    const Axis axis = bar_axis(chart);
    const double pitch = chart.candidate ? 32 : 22;
    const std::size_t count = chart.model.items.size();
    const Box plot{
        .left = 260, .top = 6, .width = svg::kWidth - 260 - 84, .height = pitch * static_cast<double>(count)};
    std::string out = svg::open(plot.bottom() + 26, chart.context->title) + svg::horizontal_axis(axis, plot);
    const BarFrame frame{.axis = &axis, .plot = plot, .is_column = false};
    std::vector<std::string> labels;
    for (const ChartModel::Item& item : chart.model.items) labels.push_back(item.label);
    const std::vector<std::string> briefs = brief_names(labels, chart.context->short_name, kBarLabel);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string& label = labels[i];
        const double top = plot.top + static_cast<double>(i) * pitch;
        out += svg::text(plot.left - 8, top + pitch / 2 + 4, Anchor::End, briefs[i], cut_in_the_middle(label, 400));
        out += draw_item(chart, i, frame, top + 3, pitch - 6);
        out += svg::text(plot.right() + 8, top + pitch / 2 + 4, Anchor::Start, value_beside(chart, i));
    }
    return out + "</svg>";
}

}  // namespace

std::string bars_to_svg(const ChartModel& model, const ChartModel* candidate, bool numbered,
                        const SvgContext& context) {
    const auto is_something = [](const ChartModel::Item& item) {
        return std::ranges::any_of(item.values, [](double value) { return std::isfinite(value) && value != 0; });
    };
    const bool has_any = std::ranges::any_of(model.items, is_something) ||
                         (candidate && std::ranges::any_of(candidate->items, is_something));
    if (model.kind == ChartKind::None || !has_any) return {};
    BarChart chart{.model = model, .candidate = std::nullopt, .context = &context, .notes = context.notes};
    if (candidate && candidate->items.size() == model.items.size()) chart.candidate = *candidate;
    thin_out(chart, numbered);
    std::vector<svg::Swatch> swatches;
    std::vector<std::string> names;
    for (std::size_t p = 0; p < model.parts.size() && !chart.has_whiskers(); ++p)
        names.push_back(name_of_part(model, p));
    const std::vector<std::string> briefs = brief_names(names, model.split ? context.short_name : ShortName(), 56);
    for (std::size_t p = 0; p < names.size(); ++p) swatches.push_back({briefs[p], class_of_part(model, p)});
    if (chart.has_whiskers()) {
        swatches.push_back({"mean; the line goes from minimum to maximum", "p-compute"});
        const double end = bar_axis(chart).most;
        const auto leaves = [&](const ChartModel::Item& item) { return item.known && item.values[2] > end; };
        const bool any = std::ranges::any_of(chart.model.items, leaves) ||
                         (chart.candidate && std::ranges::any_of(chart.candidate->items, leaves));
        if (any) chart.notes.push_back("Arrow: the greatest value is beyond the axis.");
    }
    if (chart.candidate && !numbered) chart.notes.push_back("The numbers are the candidate's.");
    const std::string drawing = numbered ? draw_columns(chart, model.is_rank ? "rank" : "") : draw_rows(chart);
    return svg::figure(svg::legend(swatches, chart.candidate.has_value()), drawing, chart.notes);
}

}  // namespace core
