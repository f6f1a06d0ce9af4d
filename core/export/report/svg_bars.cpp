#include "core/charts/bar_layout.hpp"
#include "core/charts/whisker_layout.hpp"
#include "core/export/report/svg_chart.hpp"
#include "core/export/report/svg_page.hpp"
#include "core/index/class_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace core {
namespace {

constexpr std::size_t kBarLabel = 38;   // characters of a name next to its bar
constexpr float kBarsHeight = 440;      // of all rows, unless there are too many for it
constexpr float kWhiskersHeight = 250;

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
    const ChartModel& side(Side side) const { return side == Side::Candidate && candidate ? *candidate : model; }
    double weight(std::size_t item) const {
        double most = 0;
        for (const Side s : kSides) {
            const std::vector<double>& values = side(s).items[item].values;
            const BarRow row{.label = {}, .values = values};
            most = std::max(most, has_whiskers() ? std::abs(values[0]) : row.above() - row.below());
        }
        return most;
    }
};

void thin_out(BarChart& chart, bool numbered) {
    const std::size_t count = chart.model.items.size();
    const std::size_t most = chart.has_whiskers() ? kMostBars : kMostRows;
    if (numbered && count > most) {
        const std::size_t at_once = (count + most - 1) / most;
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

std::string name_of_item(const BarChart& chart, Side side, const ChartModel::Item& item) {
    const std::string name = chart.model.is_rank ? "rank " + item.label : cut_in_the_middle(item.label, 400);
    return (chart.candidate ? std::string(name_of(side)) + ", " : std::string()) + name;
}

std::string title_of_part(const BarChart& chart, const ChartShape& shape) {
    const ChartModel::Item& item = chart.side(shape.side).items[shape.item];
    const Unit unit = chart.model.unit;
    const std::string name = name_of_item(chart, shape.side, item);
    if (chart.has_whiskers())
        return name + "\nmean " + format_value(item.values[0], unit) + "\nfrom " + format_value(item.values[1], unit) +
               " to " + format_value(item.values[2], unit);
    return name + "\n" + name_of_part(chart.model, shape.part) + ": " + format_value(item.values[shape.part], unit);
}

// Bars of changes have no percentages: each has one part.
std::optional<svg::Look> look_of_bar_shape(const BarChart& chart, const ChartShape& shape) {
    svg::Look look = svg::look_of_role(shape.role);
    const std::string part = chart.has_whiskers() ? "p-compute" : class_of_part(chart.model, shape.part);
    if (shape.role == ChartRole::Share && chart.context->of_changes) return std::nullopt;
    if (shape.role == ChartRole::Share && part == "p-idle") look.css += " on-idle";
    if (shape.role == ChartRole::Part) return svg::Look{.css = part, .title = title_of_part(chart, shape)};
    if (shape.role == ChartRole::Label && !chart.model.is_rank)
        look.title = cut_in_the_middle(chart.model.items[shape.item].label, 400);
    return look;
}

std::string write_bar_shapes(const BarChart& chart, const ChartShapes& shapes, float height) {
    return svg::open(height, chart.context->title) +
           svg::write_shapes(shapes.all(), [&](const ChartShape& shape) { return look_of_bar_shape(chart, shape); }) +
           "</svg>";
}

std::string number_at_row(const BarChart& chart, std::size_t item) {
    const ChartModel::Item& last = chart.side(Side::Candidate).items[item];
    const ChartModel::Item& one = last.known ? last : chart.model.items[item];
    if (!one.known) return "\xE2\x80\x93";
    const double value = BarRow{.label = {}, .values = one.values}.total();
    return chart.context->of_changes ? signed_value(value, chart.model.unit) : format_value(value, chart.model.unit);
}

std::vector<BarRow> rows_of(const BarChart& chart, Side side) {
    std::vector<std::string> labels;
    for (const ChartModel::Item& item : chart.model.items)
        labels.push_back(chart.model.is_rank ? "rank " + item.label : item.label);
    labels = brief_names(labels, chart.model.is_rank ? ShortName() : chart.context->short_name, kBarLabel);
    std::vector<BarRow> rows;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const ChartModel::Item& item = chart.side(side).items[i];
        rows.push_back({.label = labels[i],
                        .values = item.values,
                        .absent = !item.known,
                        .faded = false,
                        .missing = chart.candidate && !item.known});
    }
    return rows;
}

std::string draw_rows(const BarChart& chart) {
    const std::vector<BarRow> rows = rows_of(chart, Side::Baseline);
    const std::vector<BarRow> candidates = chart.candidate ? rows_of(chart, Side::Candidate) : std::vector<BarRow>{};
    const Bars bars{.parts = chart.model.parts.size(),
                    .rows = rows,
                    .candidates = candidates,
                    .unit = chart.model.unit,
                    .number = [&](std::size_t row) { return number_at_row(chart, row); }};
    const TextMetrics& metrics = svg::page_metrics();
    const float pitch = find_bar_pitch(bars, kBarsHeight, metrics);
    const BarLayout layout = lay_out_bars(bars, svg::kWidth, pitch, 0, metrics);
    const float bottom = pitch * static_cast<float>(rows.size());
    ChartShapes shapes;
    add_vertical_grid(layout.on_axis(layout.label_width), 0, bottom, shapes);
    for (std::size_t i = 0; i < rows.size(); ++i)
        add_bar_row(bars, layout, i, {0, pitch * static_cast<float>(i)}, metrics, shapes);
    add_ticks_below(layout.on_axis(layout.label_width), bottom, metrics, shapes);
    return write_bar_shapes(chart, shapes, bottom + kBarAxisHeight);
}

std::vector<ErrorBar> error_bars_of(const ChartModel& model) {
    std::vector<ErrorBar> bars;
    for (const ChartModel::Item& item : model.items)
        bars.push_back({.label = item.label,
                        .mean = item.values[0],
                        .low = item.values[1],
                        .high = item.values[2],
                        .missing = !item.known});
    return bars;
}

std::string draw_whiskers(BarChart& chart) {
    const std::vector<ErrorBar> bars = error_bars_of(chart.model);
    const std::vector<ErrorBar> candidates =
        chart.candidate ? error_bars_of(*chart.candidate) : std::vector<ErrorBar>{};
    const Whiskers whiskers{.bars = bars, .candidates = candidates, .unit = chart.model.unit};
    const WhiskerLayout layout =
        lay_out_whiskers(whiskers, {{4, 2}, {svg::kWidth, kWhiskersHeight}}, svg::page_metrics());
    ChartShapes shapes;
    add_whiskers(whiskers, layout, svg::page_metrics(), shapes);
    const auto is_cut = [](const ChartShape& shape) { return shape.kind == ChartShape::Kind::Triangle; };
    if (chart.model.is_rank) chart.notes.push_back("One bar per rank.");
    if (std::ranges::any_of(shapes.all(), is_cut))
        chart.notes.push_back("Arrow: the greatest value is beyond the axis.");
    return write_bar_shapes(chart, shapes, kWhiskersHeight);
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
    if (chart.has_whiskers()) swatches.push_back({"mean; the line goes from minimum to maximum", "p-compute"});
    const std::string drawing = chart.has_whiskers() ? draw_whiskers(chart) : draw_rows(chart);
    if (chart.candidate && !chart.has_whiskers()) chart.notes.push_back("The numbers are the candidate's.");
    return svg::figure(svg::legend(swatches, chart.candidate.has_value()), drawing, chart.notes);
}

}  // namespace core
