#include "ui/charts/trend_plot.hpp"

#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kTrendAxis = 20, kTrendLeft = 74;  // at scale 1
constexpr float kTrendDot = 4;

std::string time_text(double ns) { return core::format_duration(core::Duration{std::llround(ns)}); }

class TrendDrawing {
public:
    TrendDrawing(const TrendPlot& plot, ImVec2 at, ImVec2 size)
        : plot_(plot),
          count_(plot.series.with_values.size()),
          min_{at.x + px(kTrendLeft), at.y + px(6)},
          max_{at.x + size.x - px(12), at.y + size.y - px(kTrendAxis)} {
        for (std::size_t i = 0; i < count_; ++i) add(value(i));
        if (plot.series.latest) {
            add(plot.series.latest->expected.low);
            add(plot.series.latest->expected.high);
        }
        const double room = std::max((high_ - low_) * 0.08, high_ * 0.002);
        low_ = std::max(0.0, low_ - room);
        high_ += room;
    }

    double value(std::size_t place) const { return *plot_.series.runs[plot_.series.with_values[place]].ns; }
    const core::SeriesRun& run(std::size_t place) const { return plot_.series.runs[plot_.series.with_values[place]]; }
    float pitch() const { return (max_.x - min_.x) / static_cast<float>(std::max<std::size_t>(1, count_)); }
    float left(std::size_t place) const { return min_.x + pitch() * static_cast<float>(place); }
    ImVec2 at(std::size_t place) const { return {left(place) + pitch() / 2, y(value(place))}; }
    float y(double ns) const {
        const double share = high_ > low_ ? (ns - low_) / (high_ - low_) : 0.5;
        return std::floor(max_.y - static_cast<float>(share) * (max_.y - min_.y));
    }

    void draw(ImDrawList* list) const {
        draw_axis(list);
        draw_expected(list);
        for (const TrendLevel& level : plot_.levels) {
            const float at = y(level.mean_ns);
            draw_rect(list, {left(level.first), at}, {left(level.last), at + px(2)}, color::palette().accent);
        }
        for (const core::stats::ChangePoint& point : plot_.series.points) draw_point(list, point);
        for (std::size_t i = 0; i < count_; ++i) draw_run(list, i);
    }
    std::optional<std::size_t> find(ImVec2 mouse) const {
        if (count_ == 0 || mouse.x < min_.x || mouse.x >= max_.x) return std::nullopt;
        return std::min(count_ - 1, static_cast<std::size_t>((mouse.x - min_.x) / pitch()));
    }
    void draw_hovered(ImDrawList* list, std::size_t place) const {
        const ImVec2 middle = at(place);
        draw_rect(list, {left(place), min_.y}, {left(place) + pitch(), max_.y},
                  color::with_alpha(color::palette().text, 14));
        list->AddCircle(middle, px(kTrendDot + 3), ImGui::GetColorU32(color::palette().ink));
    }

private:
    void add(double ns) {
        low_ = any_ ? std::min(low_, ns) : ns;
        high_ = any_ ? std::max(high_, ns) : ns;
        any_ = true;
    }
    void draw_axis(ImDrawList* list) const {
        constexpr int kLines = 4;
        // Enough digits to distinguish the lines.
        const double apart = std::max(1.0, (high_ - low_) / kLines);
        const core::Duration step{std::llround(std::pow(10, std::floor(std::log10(apart))))};
        for (int i = 0; i <= kLines; ++i) {
            const double ns = low_ + (high_ - low_) * i / kLines;
            const float at = y(ns);
            draw_rect(list, {min_.x, at}, {max_.x, at + 1}, color::palette().grid);
            draw_text_right(list, mono_style(), {min_.x - px(6), at - mono_style().size_px / 2 - px(1)},
                            color::palette().faint, core::format_time_offset(core::Duration{std::llround(ns)}, step));
        }
        const std::size_t every = static_cast<std::size_t>(std::ceil(px(90) / std::max(1.0f, pitch())));
        for (std::size_t i = 0; i < count_; i += every)
            draw_text(list, small_style(), {left(i) + px(2), max_.y + px(3)}, color::palette().faint,
                      fit_text(small_style(), run(i).name, pitch() * static_cast<float>(every) - px(6)));
    }
    void draw_expected(ImDrawList* list) const {
        if (!plot_.series.latest || count_ == 0) return;
        const core::stats::Interval& expected = plot_.series.latest->expected;
        draw_rect(list, {left(count_ - 1), y(expected.high)}, {left(count_ - 1) + pitch(), y(expected.low)},
                  color::with_alpha(color::palette().accent, 46), px(2));
    }
    void draw_point(ImDrawList* list, const core::stats::ChangePoint& point) const {
        const ImU32 ink = point.after > point.before ? color::palette().worse : color::palette().better;
        const float x = std::floor(left(point.index));
        for (float from = min_.y; from < max_.y; from += px(6))
            draw_rect(list, {x, from}, {x + 1, std::min(max_.y, from + px(3))}, ink);
        const double share = point.before > 0 ? point.after / point.before - 1 : 0;
        const std::string label = (share > 0 ? "+" : "") + core::format_ratio(share);
        draw_text(list, small_style(), {x + px(4), min_.y}, ink, label);
    }
    void draw_run(ImDrawList* list, std::size_t place) const {
        const ImVec2 middle = at(place);
        const bool is_last = place + 1 == count_ && plot_.series.latest && plot_.series.latest->is_outside;
        const bool is_open = std::ranges::find(plot_.open, place) != plot_.open.end();
        const ImU32 ink = is_last ? color::palette().outlier : is_open ? color::palette().ink : color::palette().tick;
        const float radius = px(kTrendDot);
        draw_rect(list, {middle.x - radius, middle.y - radius}, {middle.x + radius, middle.y + radius}, ink, radius);
        record_rect("##run:" + std::to_string(place), {left(place), min_.y}, {left(place) + pitch(), max_.y}, false);
    }

    const TrendPlot& plot_;
    std::size_t count_;
    ImVec2 min_, max_;
    double low_ = 0, high_ = 0;
    bool any_ = false;
};

void show_tooltip(const TrendPlot& plot, const TrendDrawing& drawing, std::size_t place) {
    const core::SeriesRun& run = drawing.run(place);
    ImGui::BeginTooltip();
    heading(run.name);
    tooltip_line("Step", time_text(*run.ns));
    tooltip_line("Steps", core::format_count(static_cast<std::uint64_t>(run.steps)));
    for (const TrendLevel& level : plot.levels)
        if (place >= level.first && place < level.last)
            tooltip_line("Its level", time_text(level.mean_ns) + " of " +
                                          core::format_plural(level.last - level.first, "run", "runs"));
    for (const core::stats::ChangePoint& point : plot.series.points)
        if (point.index == place)
            tooltip_line("New level", time_text(point.before) + " \xE2\x86\x92 " + time_text(point.after) + ", p " +
                                          core::format_p(point.p));
    if (place + 1 == plot.series.with_values.size() && plot.series.latest)
        tooltip_line("Expected, 99 %", core::describe_interval(plot.series.latest->expected));
    muted_text(place == 0 ? "Click: open it" : "Click: compare it with the previous run");
    ImGui::EndTooltip();
}

ChartTable table_of_trend(const TrendPlot& plot) {
    std::vector<std::string> names;
    std::vector<double> values, levels;
    for (const TrendLevel& level : plot.levels) {
        for (std::size_t i = level.first; i < level.last; ++i) {
            const core::SeriesRun& run = plot.series.runs[plot.series.with_values[i]];
            names.push_back(run.name);
            values.push_back(*run.ns);
            levels.push_back(level.mean_ns);
        }
    }
    ChartTable table;
    table.add_texts("run", std::move(names));
    table.add_numbers("step", core::Unit::Ns, std::move(values));
    table.add_numbers("level", core::Unit::Ns, std::move(levels));
    return table;
}

}  // namespace

TrendHit draw_trend_plot(const char* id, const TrendPlot& plot, ImVec2 size) {
    TrendHit hit;
    size = {std::max(size.x, px(160)), std::max(size.y, px(80))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool pressed = invisible_button(id, size);
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    if (plot.series.with_values.empty()) return hit;
    const TrendDrawing drawing(plot, at, size);
    ImDrawList* list = ImGui::GetWindowDrawList();
    drawing.draw(list);
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.title = "Step of each run",
                          .table = [numbers = table_of_trend(plot)] { return numbers.table(); }};
    });
    if (!hovered) return hit;
    hit.hovered = drawing.find(ImGui::GetIO().MousePos);
    if (!hit.hovered) return hit;
    drawing.draw_hovered(list, *hit.hovered);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (pressed) hit.clicked = hit.hovered;
    show_tooltip(plot, drawing, *hit.hovered);
    return hit;
}

}  // namespace ui
