#include "ui/charts/histogram.hpp"

#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ui {
namespace {

constexpr float kAxisHeight = 18;  // sizes at scale 1
constexpr float kTopRoom = 14;
constexpr float kTickRoom = 48;
constexpr float kDimmedBin = 0.35f;  // opacity

struct HistogramPlot {
    const Histogram& chart;
    ImVec2 min, max;  // area of the bars

    float x(core::Duration d) const {
        return std::floor(min.x + static_cast<float>(chart.bins.place(d)) * (max.x - min.x));
    }
};

void draw_ticks(ImDrawList* list, const HistogramPlot& plot) {
    const auto about = static_cast<std::size_t>(std::max(1.0f, (plot.max.x - plot.min.x) / px(kTickRoom)));
    const float begin = plot.min.x - px(4);
    const float end = plot.max.x + px(4);
    float free = begin;
    std::string last;
    for (const core::Duration tick : plot.chart.bins.ticks(about)) {
        const float x = plot.x(tick);
        const std::string label = core::format_duration(tick);
        const float half = text_width(small_style(), label) / 2;
        draw_rect(list, {x, plot.min.y}, {x + 1, plot.max.y + px(3)}, color::palette().grid);
        // shifted inwards at both ends
        const float left = std::clamp(x - half, begin, std::max(begin, end - 2 * half));
        if (left < free || label == last) continue;
        draw_text(list, small_style(), {left, plot.max.y + px(3)}, color::palette().muted, label);
        free = left + 2 * half + px(8);
        last = label;
    }
}

void show_bin(const core::DurationBins& bins, std::size_t bin, std::string_view click) {
    std::size_t all = 0;
    for (const std::size_t count : bins.counts) all += count;
    ImGui::BeginTooltip();
    const std::string from = core::format_duration(bins.edges[bin]);
    const std::string to = core::format_duration(bins.edges[bin + 1]);
    heading(from == to ? "about " + from : from + " to " + to);  // narrow bins differ only in the exact lines
    const std::size_t count = bins.counts[bin];
    tooltip_line("events", core::format_count(std::uint64_t{count}), 0,
                 core::format_ratio(static_cast<double>(count) / static_cast<double>(all)));
    tooltip_line("from", core::format_duration_exact(bins.edges[bin]));
    tooltip_line("to below", core::format_duration_exact(bins.edges[bin + 1]));
    if (count > 0 && !click.empty()) muted_text(click);
    record_tooltip(core::format_duration(bins.edges[bin]) + ": " + core::format_count(std::uint64_t{count}));
    ImGui::EndTooltip();
}

void draw_mark(ImDrawList* list, const HistogramPlot& plot, core::Duration marked) {
    const double place = plot.chart.bins.place(marked);
    if (place < 0 || place > 1) {
        const std::string label = "selected " + core::format_duration(marked);
        const float width = text_width(small_style(), label);
        const ImVec2 at{place < 0 ? plot.min.x : plot.max.x - width, plot.min.y - px(kTopRoom)};
        draw_text(list, small_style(), at, color::palette().muted, label);
        return;
    }
    const float x = plot.x(marked);
    draw_rect(list, {x - px(1), plot.min.y - px(4)}, {x + px(1), plot.max.y}, color::palette().text);
    const std::string label = "selected " + core::format_duration(marked);
    const float width = text_width(small_style(), label);
    const float left = x + px(4) + width > plot.max.x ? x - px(4) - width : x + px(4);
    draw_text(list, small_style(), {left, plot.min.y - px(kTopRoom)}, color::palette().text, label);
}

// Labels are right of their lines; one that would cross the next line or the end goes left, or is left out.
void draw_marks(ImDrawList* list, const HistogramPlot& plot) {
    float free = plot.min.x - px(4);
    for (std::size_t i = 0; i < plot.chart.marks.size(); ++i) {
        const HistogramMark& mark = plot.chart.marks[i];
        const double place = plot.chart.bins.place(mark.at);
        if (mark.at.count() <= 0 || place < 0 || place > 1) continue;
        const float x = plot.x(mark.at);
        for (float y = plot.min.y - px(4); y < plot.max.y; y += px(5))
            draw_rect(list, {x, y}, {x + 1, std::min(y + px(3), plot.max.y)}, color::palette().text);
        const float width = text_width(small_style(), mark.label);
        float end = plot.max.x + px(4);
        if (i + 1 < plot.chart.marks.size() && plot.chart.marks[i + 1].at > mark.at)
            end = std::min(end, plot.x(plot.chart.marks[i + 1].at) - px(3));
        float left = x + px(4);
        if (left + width > end) left = x - px(4) - width;
        if (left < free) continue;
        draw_text(list, small_style(), {left, plot.min.y - px(kTopRoom)}, color::palette().muted, mark.label);
        free = std::max(left + width, x) + px(6);
    }
}

ChartTable table_of(const core::DurationBins& bins) {
    std::vector<double> from, to, events;
    for (std::size_t bin = 0; bin < bins.counts.size(); ++bin) {
        from.push_back(static_cast<double>(bins.edges[bin].count()));
        to.push_back(static_cast<double>(bins.edges[bin + 1].count()));
        events.push_back(static_cast<double>(bins.counts[bin]));
    }
    ChartTable table;
    table.add_numbers("from", core::Unit::Ns, std::move(from));
    table.add_numbers("to below", core::Unit::Ns, std::move(to));
    table.add_numbers("events", core::Unit::Count, std::move(events));
    return table;
}

}  // namespace

std::optional<std::size_t> draw_histogram(const char* id, const Histogram& chart, ImVec2 size) {
    size = {std::max(size.x, px(40)), std::max(size.y, px(kAxisHeight + kTopRoom + 8))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    invisible_button(id, size);
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    const core::DurationBins& bins = chart.bins;
    if (bins.counts.empty()) return std::nullopt;
    const HistogramPlot plot{.chart = chart,
                             .min = {at.x + px(4), at.y + px(kTopRoom)},
                             .max = {at.x + size.x - px(4), at.y + size.y - px(kAxisHeight)}};
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_ticks(list, plot);
    const auto most = static_cast<float>(std::ranges::max(bins.counts));
    const float mouse = ImGui::GetIO().MousePos.x;
    std::optional<std::size_t> pointed;
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
        const float left = plot.x(bins.edges[i]);
        const float right = std::max(plot.x(bins.edges[i + 1]), left + 1);
        if (hovered && mouse >= left && mouse < right) pointed = i;
        if (bins.counts[i] == 0) continue;
        // Minimum height, so that a bin with one event stays visible.
        const float high =
            std::max(px(2), std::floor(static_cast<float>(bins.counts[i]) / most * (plot.max.y - plot.min.y)));
        const bool gap = right - left > px(3);
        const ImU32 bar =
            chart.chosen.value_or(i) == i ? chart.bar : color::mix(color::palette().panel, chart.bar, kDimmedBin);
        draw_rect(list, {left, plot.max.y - high}, {right - (gap ? 1.0f : 0.0f), plot.max.y},
                  pointed == i ? color::mix(bar, color::palette().text, 0.3f) : bar);
        record_rect("##bin:" + std::to_string(i), {left, plot.max.y - high}, {right, plot.max.y}, pointed == i);
    }
    draw_rect(list, {plot.min.x, plot.max.y}, {plot.max.x, plot.max.y + 1}, color::palette().line);
    draw_marks(list, plot);
    if (chart.marked) draw_mark(list, plot, *chart.marked);
    if (pointed) show_bin(bins, *pointed, chart.click);
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.title = std::string(chart.title),
                          .table = [numbers = table_of(bins)] { return numbers.table(); }};
    });
    return pointed;
}

}  // namespace ui
