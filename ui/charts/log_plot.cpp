#include "ui/charts/log_plot.hpp"

#include "core/charts/axis.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLogAxis = 20;   // height of the labels at scale 1
constexpr float kDot = 3.5f;     // half a point's side
constexpr float kReach = 12;     // distance at which the pointer finds a point
constexpr std::size_t kLineParts = 64;

struct Ends {
    double least = 0, most = 0;
    void add(double value) {
        if (!(value > 0) || !std::isfinite(value)) return;
        least = least == 0 ? value : std::min(least, value);
        most = std::max(most, value);
    }
    // Leaves some space around the values, which keeps points off the edges; covers at least an octave.
    void widen() {
        const double room = std::max(1.15, std::pow(most / least, 0.05));
        least /= room;
        most *= room;
        if (most / least < 2) {
            least /= 1.5;
            most *= 1.5;
        }
    }
    double share(double value) const { return std::log(value / least) / std::log(most / least); }
};

struct LogLayout {
    ImVec2 min, max;  // of the plot
    Ends x, y;
    ImVec2 at(LogPoint p) const {
        return {std::floor(min.x + static_cast<float>(x.share(p.x)) * (max.x - min.x)),
                std::floor(max.y - static_cast<float>(y.share(p.y)) * (max.y - min.y))};
    }
};

bool is_drawn(LogPoint p) { return p.x > 0 && p.y > 0 && std::isfinite(p.x) && std::isfinite(p.y); }

void add_ends(const LogPlot& plot, LogLayout& layout) {
    for (const LogSeries& one : plot.series)
        for (const LogPoint p : one.points) {
            if (!is_drawn(p)) continue;
            layout.x.add(p.x);
            layout.y.add(p.y);
            if (one.line) layout.y.add(one.line(p.x));
        }
}

void draw_axes(ImDrawList* list, const LogPlot& plot, const LogLayout& layout) {
    const double x_base = plot.x_unit == core::Unit::Bytes ? 4 : 10;
    const auto fitting = [](float room, float each) {
        return std::max<std::size_t>(1, static_cast<std::size_t>(room / px(each)));
    };
    for (const double tick :
         find_log_ticks(layout.x.least, layout.x.most, x_base, fitting(layout.max.x - layout.min.x, 84))) {
        const float x = layout.at({tick, layout.y.least}).x;
        draw_rect(list, {x, layout.min.y}, {x + 1, layout.max.y}, color::palette().grid);
        const std::string label = core::format_value(tick, plot.x_unit);
        const float half = text_width(mono_style(), label) / 2;
        if (x - half < layout.min.x - px(40) || x + half > layout.max.x + px(4)) continue;
        draw_text(list, mono_style(), {x - half, layout.max.y + px(3)}, color::palette().faint, label);
    }
    for (const double tick :
         find_log_ticks(layout.y.least, layout.y.most, 10, fitting(layout.max.y - layout.min.y, 28))) {
        const float y = layout.at({layout.x.least, tick}).y;
        draw_rect(list, {layout.min.x, y}, {layout.max.x, y + 1}, color::palette().grid);
        draw_text_right(list, mono_style(), {layout.min.x - px(6), y - mono_style().size_px / 2 - px(1)},
                        color::palette().faint, core::format_value(tick, plot.y_unit));
    }
}

void draw_line_of(ImDrawList* list, const LogSeries& series, const LogLayout& layout) {
    Ends ends;
    for (const LogPoint p : series.points) ends.add(p.x);
    if (!series.line || !(ends.most > ends.least)) return;
    const ImU32 ink = color::mix(color::palette().panel, series.color, series.faint_line ? 0.35f : 0.7f);
    ImVec2 before{};
    for (std::size_t i = 0; i <= kLineParts; ++i) {
        const double share = static_cast<double>(i) / kLineParts;
        const double x = ends.least * std::pow(ends.most / ends.least, share);
        const ImVec2 here = layout.at({x, series.line(x)});
        const bool gap = series.faint_line && i % 2 == 0;  // dashes
        if (i > 0 && !gap) draw_line(list, before, here, ink, px(1.5f));
        before = here;
    }
}

ChartTable table_of(const LogPlot& plot) {
    std::vector<std::string> names;
    std::vector<double> xs, ys, lines;
    for (const LogSeries& one : plot.series)
        for (const LogPoint p : one.points) {
            names.push_back(one.name);
            xs.push_back(p.x);
            ys.push_back(p.y);
            lines.push_back(one.line ? one.line(p.x) : std::nan(""));
        }
    ChartTable table;
    table.add_texts("series", std::move(names));
    table.add_numbers(plot.x_name, plot.x_unit, std::move(xs));
    table.add_numbers(plot.y_name, plot.y_unit, std::move(ys));
    table.add_numbers("line", plot.y_unit, std::move(lines));
    return table;
}

void show_tooltip(const LogPlot& plot, std::size_t series, std::size_t point) {
    const LogSeries& one = plot.series[series];
    ImGui::BeginTooltip();
    heading(one.name);
    tooltip_line(plot.x_name, core::format_value(one.points[point].x, plot.x_unit));
    tooltip_line(plot.y_name, core::format_value(one.points[point].y, plot.y_unit), one.color);
    if (one.line) tooltip_line("By the line", core::format_value(one.line(one.points[point].x), plot.y_unit));
    if (plot.explain) plot.explain(series, point);
    ImGui::EndTooltip();
}

}  // namespace

std::vector<double> find_log_ticks(double least, double most, double base, std::size_t count) {
    if (!(least > 0) || !(most >= least) || !std::isfinite(most) || count == 0) return {};
    const auto first = static_cast<int>(std::ceil(std::log(least) / std::log(base) - 1e-9));
    const auto last = static_cast<int>(std::floor(std::log(most) / std::log(base) + 1e-9));
    if (last < first) return {};
    const int all = last - first + 1;
    const int step = (all + static_cast<int>(count) - 1) / static_cast<int>(std::min<std::size_t>(count, 1000));
    std::vector<double> ticks;
    for (int i = first; i <= last; i += std::max(1, step)) ticks.push_back(std::pow(base, i));
    return ticks;
}

LogHit draw_log_plot(const char* id, const LogPlot& plot, ImVec2 size) {
    LogHit hit;
    size = {std::max(size.x, px(120)), std::max(size.y, px(60))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool pressed = invisible_button(id, size);
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    LogLayout layout{.min = {at.x + px(84), at.y + px(4)},
                     .max = {at.x + size.x - px(6), at.y + size.y - px(kLogAxis)},
                     .x = {},
                     .y = {}};
    add_ends(plot, layout);
    if (layout.x.least == 0 || layout.y.least == 0) return hit;
    layout.x.widen();
    layout.y.widen();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_axes(list, plot, layout);
    for (const LogSeries& one : plot.series) draw_line_of(list, one, layout);
    float nearest = px(kReach);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
        const LogSeries& one = plot.series[s];
        for (std::size_t i = 0; i < one.points.size(); ++i) {
            if (!is_drawn(one.points[i])) continue;
            const ImVec2 p = layout.at(one.points[i]);
            draw_rect(list, {p.x - px(kDot), p.y - px(kDot)}, {p.x + px(kDot), p.y + px(kDot)}, one.color, px(kDot));
            record_rect("##point:" + one.name + "," + std::to_string(i), {p.x - px(kDot), p.y - px(kDot)},
                        {p.x + px(kDot), p.y + px(kDot)}, false);
            const float away = std::hypot(mouse.x - p.x, mouse.y - p.y);
            if (!hovered || away >= nearest) continue;
            nearest = away;
            hit.series = s;
            hit.point = i;
        }
    }
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.title = std::string(plot.y_name),
                          .table = [numbers = table_of(plot)] { return numbers.table(); }};
    });
    if (!hit.series) return hit;
    const ImVec2 p = layout.at(plot.series[*hit.series].points[hit.point]);
    list->AddCircle(p, px(6), ImGui::GetColorU32(color::palette().ink));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    hit.clicked = pressed;
    hit.listed = ImGui::IsMouseReleased(ImGuiMouseButton_Right);
    show_tooltip(plot, *hit.series, hit.point);
    return hit;
}

}  // namespace ui
