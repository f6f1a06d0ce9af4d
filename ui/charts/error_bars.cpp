#include "ui/charts/error_bars.hpp"

#include "core/charts/axis.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/model/charts/thin_out.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

constexpr float kFadedWhisker = 0.3f;  // opacity of a faded bar
constexpr std::size_t kMeasuredLabels = 512;
constexpr double kFarBeyondMean = 10;
constexpr double kKept = 6;

struct WhiskerPlot {
    ImVec2 min, max;
    const core::Axis& axis;
    float slot;             // width per bar
    float y(double value) const {
        const double share = std::clamp(axis.share(value), 0.0, 1.0);
        return std::floor(max.y - static_cast<float>(share) * (max.y - min.y));
    }
    float middle(std::size_t i) const { return std::floor(min.x + (static_cast<float>(i) + 0.5f) * slot); }
};

// Draws the value axis with its grid; returns the plot area.
WhiskerPlot draw_axis(ImDrawList* list, const core::Axis& axis, ImVec2 at, ImVec2 size, std::size_t bars) {
    float widest = 0;
    for (std::size_t i = 0; i < axis.ticks(); ++i)
        widest = std::max(widest, text_width(mono_style(), axis.label(axis.tick(i))));
    widest = std::max(widest, text_width(mono_style(), axis.suffix));
    const float left = widest + px(8);
    WhiskerPlot plot{
        .min = {at.x + left, at.y + px(22)}, .max = {at.x + size.x, at.y + size.y - px(18)}, .axis = axis, .slot = 0};
    plot.slot = (plot.max.x - plot.min.x) / static_cast<float>(std::max<std::size_t>(1, bars));
    draw_text_right(list, mono_style(), {at.x + widest, at.y - px(2)}, color::palette().faint, axis.suffix);
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        const float y = plot.y(axis.tick(i));
        draw_rect(list, {plot.min.x, y}, {plot.max.x, y + 1},
                  axis.label(axis.tick(i)) == "0" ? color::palette().base : color::palette().grid);
        draw_text_right(list, mono_style(), {at.x + widest, y - mono_style().size_px / 2 - px(1)},
                        color::palette().faint, axis.label(axis.tick(i)));
    }
    return plot;
}

void draw_whisker(ImDrawList* list, const WhiskerPlot& plot, const ErrorBar& bar, float x, float width) {
    const float thick = std::max(1.0f, px(1));
    const float cap = std::floor(width * 0.2f);
    const float top = plot.y(bar.high);
    const float bottom = plot.y(bar.low);
    const ImU32 ink = cap < 1 || bar.faded ? color::with_alpha(color::palette().whisker, 80)
                                           : color::with_alpha(color::palette().whisker, 210);
    draw_rect(list, {x, top}, {x + thick, bottom}, ink);
    if (cap < 1) return;
    draw_rect(list, {x - cap, bottom - thick}, {x + cap + thick, bottom}, ink);
    if (bar.high <= plot.axis.most) {
        draw_rect(list, {x - cap, top}, {x + cap + thick, top + thick}, ink);
        return;
    }
    const float side = px(4);
    draw_triangle(list, {x + thick / 2, top - side}, {x - side, top + 1}, {x + side + thick, top + 1}, ink);
}

void draw_label(ImDrawList* list, const WhiskerPlot& plot, std::size_t i, std::string_view label, bool hovered) {
    const float width = text_width(small_style(), label);
    draw_text(list, small_style(), {plot.middle(i) - width / 2, plot.max.y + px(4)},
              hovered ? color::palette().text : color::palette().muted, label);
}

// Number of bars per label, so that labels fit.
std::size_t label_stride(const WhiskerPlot& plot, std::span<const ErrorBar> bars) {
    float widest = 0;
    visit_sample(bars.size(), kMeasuredLabels,
                 [&](std::size_t i) { widest = std::max(widest, text_width(small_style(), bars[i].label)); });
    return static_cast<std::size_t>(std::max(1.0f, std::ceil((widest + px(6)) / std::max(0.1f, plot.slot))));
}

void show_pair(const ErrorBars& chart, const ErrorBar& baseline, const ErrorBar& candidate) {
    compared_tooltip_head();
    const auto line = [&](std::string_view name, double ErrorBar::*value, core::Unit unit) {
        const auto known = [&](const ErrorBar& bar) { return bar.missing ? std::nullopt : std::optional(bar.*value); };
        compared_tooltip_line(name, Compared::between(known(baseline), known(candidate)), unit);
    };
    line("Mean", &ErrorBar::mean, chart.unit);
    line("Min", &ErrorBar::low, chart.unit);
    line("Max", &ErrorBar::high, chart.unit);
    if (baseline.count > 0 || candidate.count > 0) line("Count", &ErrorBar::count, core::Unit::Count);
    if (baseline.missing) muted_text(only_in(core::Side::Candidate));
    if (candidate.missing) muted_text(only_in(core::Side::Baseline));
    for (const core::Side side : core::kSides)
        if ((side == core::Side::Baseline ? baseline : candidate).stands_out)
            text(std::string("Stands out from the other ranks of the ").append(name_of(side)),
                 color::palette().outlier);
}

void show_tooltip(const ErrorBars& chart, std::size_t index) {
    const ErrorBar& bar = chart.bars[index];
    ImGui::BeginTooltip();
    const std::string head = std::string(chart.label_prefix) + bar.label;
    heading(head);
    if (chart.paired()) {
        show_pair(chart, bar, chart.candidates[index]);
        draw_notes(chart.notes, 0, head);
        ImGui::EndTooltip();
        return;
    }
    tooltip_line("Mean", core::format_value(bar.mean, chart.unit));
    tooltip_line("Min", core::format_value(bar.low, chart.unit));
    tooltip_line("Max", core::format_value(bar.high, chart.unit));
    if (bar.count > 0) tooltip_line("Count", core::format_value(bar.count, core::Unit::Count));
    if (bar.stands_out) text("Stands out from the other ranks", color::palette().outlier);
    draw_notes(chart.notes, 0, head);
    ImGui::EndTooltip();
}

// Draws one bar with its whisker, from the given left edge.
void draw_bar(ImDrawList* list, const ErrorBars& chart, core::Side side, std::size_t i, const WhiskerPlot& plot,
              float left, float width, bool pointed) {
    const ErrorBar& bar = (side == core::Side::Baseline ? chart.bars : chart.candidates)[i];
    const float zero = plot.y(0);
    if (bar.missing) {
        draw_text(list, small_style(), {left + (width - text_width(small_style(), kAbsentText)) / 2, zero - px(15)},
                  color::palette().faint, kAbsentText);
        return;
    }
    ImU32 fill = bar.stands_out ? color::palette().outlier : chart.color;
    if (bar.faded) fill = color::mix(color::palette().panel, fill, kFadedWhisker);
    if (pointed) fill = color::mix(fill, color::palette().text, 0.2f);
    const float end = plot.y(bar.mean);
    draw_rect(list, {left, std::min(end, zero - 1)}, {left + width, std::max(end, zero)}, fill);
    if (side == core::Side::Candidate)
        draw_hatch(list, {left, std::min(end, zero - 1)}, {left + width, std::max(end, zero)});
    draw_whisker(list, plot, bar, left + std::floor(width / 2), width);
}

// Draws one category: one bar, or the bars of baseline and candidate next to each other.
void draw_category(ImDrawList* list, const ErrorBars& chart, std::size_t i, const WhiskerPlot& plot, bool pointed) {
    const float x = plot.middle(i);
    const float most = px(chart.paired() ? 26 : 40);
    const float width = std::clamp(std::floor(plot.slot * (chart.paired() ? 0.38f : 0.62f)), 1.0f, most);
    const float left = chart.paired() ? x - width : x - std::floor(width / 2);
    const float right = chart.paired() ? x + 1 + width : left + width;
    draw_bar(list, chart, core::Side::Baseline, i, plot, left, width, pointed);
    if (chart.paired()) draw_bar(list, chart, core::Side::Candidate, i, plot, x + 1, width, pointed);
    record_rect("##bar:" + std::string(chart.label_prefix) + chart.bars[i].label, {left, plot.min.y},
                {right, plot.max.y}, pointed);
}

core::Axis axis_of(const ErrorBars& chart, float height) {
    const int ticks = std::clamp(static_cast<int>(height / px(36)), 2, 5);
    return core::make_axis(std::min(find_axis_begin(chart.bars), find_axis_begin(chart.candidates)),
                           std::max(find_axis_end(chart.bars), find_axis_end(chart.candidates)), chart.unit, ticks);
}

std::vector<double> numbers_of(std::span<const ErrorBar> bars, double ErrorBar::*value) {
    std::vector<double> numbers;
    for (const ErrorBar& bar : bars) numbers.push_back(bar.missing ? std::nan("") : bar.*value);
    return numbers;
}

ChartTable table_of(const ErrorBars& chart) {
    ChartTable table;
    std::vector<std::string> labels;
    for (const ErrorBar& bar : chart.bars) labels.push_back(bar.label);
    table.add_texts(chart.label_prefix == "rank " ? "rank" : "name", std::move(labels));
    const auto add = [&](std::string_view title, double ErrorBar::*value, core::Unit unit) {
        if (chart.paired())
            table.add_pair(title, unit, {numbers_of(chart.bars, value), numbers_of(chart.candidates, value)});
        else
            table.add_numbers(title, unit, numbers_of(chart.bars, value));
    };
    add("mean", &ErrorBar::mean, chart.unit);
    add("min", &ErrorBar::low, chart.unit);
    add("max", &ErrorBar::high, chart.unit);
    const auto counted = [](const ErrorBar& bar) { return bar.count > 0; };
    if (std::ranges::any_of(chart.bars, counted)) add("count", &ErrorBar::count, core::Unit::Count);
    return table;
}

// Chooses the bars to draw: if several share a pixel column, one that stands out, else the highest.
std::vector<std::size_t> collect_drawn_bars(const ErrorBars& chart, float width) {
    const auto weight = [](std::span<const ErrorBar> bars, std::size_t i) {
        if (i >= bars.size() || bars[i].missing) return -1.0;
        return bars[i].stands_out ? std::numeric_limits<double>::infinity() : bars[i].mean;
    };
    return pick_greatest(chart.bars.size(), static_cast<std::size_t>(std::max(1.0f, width)),
                         [&](std::size_t i) { return std::max(weight(chart.bars, i), weight(chart.candidates, i)); });
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

ErrorBarHit draw_error_bars(const char* id, const ErrorBars& chart, ImVec2 size) {
    ErrorBarHit hit;
    size = {std::max(size.x, px(60)), std::max(size.y, px(60))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    hit.clicked = invisible_button(id, size);
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const core::Axis axis = axis_of(chart, size.y);
    const WhiskerPlot plot = draw_axis(list, axis, at, size, chart.bars.size());
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (hovered && mouse.x >= plot.min.x && mouse.x < plot.max.x)
        hit.bar = std::min(chart.bars.size() - 1, static_cast<std::size_t>((mouse.x - plot.min.x) / plot.slot));
    if (chart.bars.empty()) hit.bar.reset();
    const std::vector<std::size_t> drawn = collect_drawn_bars(chart, plot.max.x - plot.min.x);
    if (hit.bar) {  // of bars that share a pixel the one that is drawn
        const auto after = std::ranges::upper_bound(drawn, *hit.bar);
        if (drawn.size() < chart.bars.size()) hit.bar = after == drawn.begin() ? *after : *(after - 1);
    }
    const std::size_t stride = label_stride(plot, chart.bars);
    for (const std::size_t i : drawn) draw_category(list, chart, i, plot, hit.bar == i);
    for (std::size_t i = 0; i < chart.bars.size(); i += stride)
        draw_label(list, plot, i, chart.bars[i].label, hit.bar == i);
    hit.listed = hit.bar && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
    if (hit.bar) show_tooltip(chart, *hit.bar);
    record_rect("##axis", at, {plot.min.x, plot.max.y}, hovered && mouse.x < plot.min.x);
    if (hovered && mouse.x < plot.min.x) draw_notes_tooltip(chart.notes, 0, 1);
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.paired = chart.paired(), .table = [numbers = table_of(chart)] { return numbers.table(); }};
    });
    return hit;
}

}  // namespace ui
