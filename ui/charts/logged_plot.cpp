#include "ui/charts/logged_plot.hpp"

#include "core/charts/axis.hpp"
#include "core/charts/thin_out.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace ui {
namespace {

std::string text_of_time(double ns) { return core::format_value(ns, core::Unit::Ns); }

void show_tooltip(const LoggedSeries& series, const core::LoggedIterations& line) {
    ImGui::BeginTooltip();
    heading("Iteration " + std::to_string(line.last));
    tooltip_line("Time per iteration", text_of_time(static_cast<double>(line.duration_ns)));
    tooltip_line("Median of the log", text_of_time(series.median));
    if (line.flops_per_s >= 0)
        tooltip_line("Per GPU", core::format_value(static_cast<double>(line.flops_per_s), core::Unit::FlopPerSecond));
    if (line.skipped > 0) tooltip_line("Skipped", std::to_string(line.skipped));
    if (line.nan > 0) tooltip_line("Loss not a number", std::to_string(line.nan));
    muted_text("Mean since the previous line of the log");
    ImGui::EndTooltip();
}

ChartTable table_of(const LoggedSeries& series) {
    std::vector<std::string> iterations;
    std::vector<double> times;
    for (const core::LoggedIterations& line : series.lines) {
        iterations.push_back(std::to_string(line.last));
        times.push_back(static_cast<double>(line.duration_ns));
    }
    ChartTable table;
    table.add_texts("iteration", std::move(iterations));
    table.add_numbers("time per iteration", core::Unit::Ns, std::move(times));
    return table;
}

}  // namespace

void draw_logged_plot(const char* id, const LoggedSeries& series, ImVec2 size) {
    size = {std::max(size.x, px(24)), std::max(size.y, px(24))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    invisible_button(id, size);
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    const float bottom = std::floor(at.y + size.y - small_style().size_px - px(2));
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const auto y_of = [&](double ns) {
        const double share = series.top > 0 ? std::clamp(ns / series.top, 0.0, 1.0) : 0;
        return std::floor(bottom - static_cast<float>(share) * (bottom - at.y));
    };
    const auto time_at = [&](std::size_t place) { return series.lines[series.drawn[place]].duration_ns; };
    const std::vector<std::size_t> places =
        core::pick_greatest(series.drawn.size(), static_cast<std::size_t>(size.x), time_at);
    const float pitch = size.x / static_cast<float>(places.size());
    const float gap = pitch > px(3) ? 1.0f : 0.0f;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto ns = static_cast<double>(time_at(places[i]));
        const float x = at.x + pitch * static_cast<float>(i);
        draw_rect(list, {x, y_of(ns)}, {std::max(x + 1, x + pitch - gap), bottom},
                  ns > series.top ? color::palette().outlier : color::with_alpha(color::palette().tick, 150));
    }
    const float median = y_of(series.median);
    draw_rect(list, {at.x, median}, {at.x + size.x, median + 1}, color::palette().accent);
    draw_text(list, small_style(), {at.x, bottom + px(1)}, color::palette().faint,
              "iteration " + std::to_string(series.lines.front().last));
    draw_text_right(list, small_style(), {at.x + size.x, bottom + px(1)}, color::palette().faint,
                    std::to_string(series.lines.back().last));
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.title = "Time per iteration, as logged",
                          .table = [numbers = table_of(series)] { return numbers.table(); }};
    });
    if (!hovered) return;
    const float along = std::max(0.0f, ImGui::GetIO().MousePos.x - at.x);
    const std::size_t place = std::min(places.size() - 1, static_cast<std::size_t>(along / pitch));
    show_tooltip(series, series.lines[series.drawn[places[place]]]);
}

}  // namespace ui
