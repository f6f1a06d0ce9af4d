#include "ui/charts/strip_plot.hpp"

#include "core/charts/axis.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace ui {
namespace {

constexpr ImU32 kBand = color::rgb(0x4C9BE8, 56);

struct Line {
    const StripPlot& plot;
    ImVec2 min, max;
    float inset() const { return max.y - min.y < px(12) ? px(1) : px(3); }   // of a tick
    float x(double value) const {
        if (!(plot.high > plot.low)) return std::floor((min.x + max.x) / 2);
        const double share = std::clamp((value - plot.low) / (plot.high - plot.low), 0.0, 1.0);
        return std::floor(min.x + static_cast<float>(share) * (max.x - min.x - px(2)));
    }
};

// Chooses the points to draw: at most one in each pixel column.
std::vector<std::size_t> collect_drawn(const Line& line) {
    constexpr std::size_t kMany = 512;
    const std::vector<SpreadPoint>& points = line.plot.spread.points;
    std::vector<bool> taken(static_cast<std::size_t>(std::max(1.0f, line.max.x - line.min.x + 1)));
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto column = static_cast<std::size_t>(std::max(0.0f, line.x(points[i].value) - line.min.x));
        if (points.size() > kMany && column < taken.size()) {
            if (taken[column]) continue;
            taken[column] = true;
        }
        drawn.push_back(i);
    }
    return drawn;
}

void draw_points(ImDrawList* list, const Line& line, std::span<const std::size_t> drawn) {
    const std::vector<SpreadPoint>& points = line.plot.spread.points;
    float before = -1;
    for (const std::size_t i : drawn) {
        const float x = line.x(points[i].value);
        if (x != before)
            draw_rect(list, {x, line.min.y + line.inset()}, {x + px(2), line.max.y - line.inset()},
                      color::with_alpha(color::palette().tick, 150));
        before = x;
    }
    if (points.size() < 2) return;
    const float x = line.x(line.plot.spread.greatest);
    draw_rect(list, {x, line.min.y + px(1)}, {x + px(2), line.max.y - px(1)}, color::palette().outlier);
}

std::optional<std::size_t> nearest_to(const Line& line, float x) {
    std::optional<std::size_t> nearest;
    float apart = 1e9f;
    for (std::size_t i = 0; i < line.plot.spread.points.size(); ++i) {
        const float distance = std::abs(line.x(line.plot.spread.points[i].value) + px(1) - x);
        if (distance >= apart) continue;
        apart = distance;
        nearest = i;
    }
    return nearest;
}

void record_points(const Line& line, std::span<const std::size_t> drawn) {
    if (!items().enabled) return;
    for (const std::size_t i : drawn) {
        const SpreadPoint& point = line.plot.spread.points[i];
        const float x = line.x(point.value);
        record_rect("##" + std::string(line.plot.name) + ":" + point.label, {x, line.min.y}, {x + px(2), line.max.y},
                    false);
    }
}

void show_tooltip(const StripPlot& plot, const SpreadPoint& point) {
    ImGui::BeginTooltip();
    const std::string head = std::string(plot.name) + " " + point.label;
    heading(head);
    tooltip_line(plot.value_name, core::format_value(point.value, plot.unit));
    tooltip_line("Median of all", core::format_value(plot.spread.median, plot.unit));
    draw_notes(plot.notes, 0, head);
    ImGui::EndTooltip();
}

ChartTable table_of(const StripPlot& plot) {
    std::vector<std::string> labels;
    std::vector<double> values;
    for (const SpreadPoint& point : plot.spread.points) {
        labels.push_back(point.label);
        values.push_back(point.value);
    }
    ChartTable table;
    table.add_texts(plot.name, std::move(labels));
    table.add_numbers(plot.value_name, plot.unit, std::move(values));
    return table;
}

}  // namespace

StripHit draw_strip_plot(const char* id, const StripPlot& plot, ImVec2 size) {
    StripHit hit;
    size = {std::max(size.x, px(24)), std::max(size.y, px(8))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool pressed = invisible_button(id, size);
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    if (plot.spread.points.empty()) return hit;
    const Line line{.plot = plot, .min = at, .max = {at.x + size.x, at.y + size.y}};
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float middle = std::floor(at.y + size.y / 2);
    draw_rect(list, {line.min.x, middle}, {line.max.x, middle + 1}, color::palette().line);
    if (plot.spread.points.size() > 1)
        draw_rect(list, {line.x(plot.spread.lower_quarter), line.min.y + line.inset()},
                  {line.x(plot.spread.upper_quarter) + px(2), line.max.y - line.inset()}, kBand, px(2));
    const std::vector<std::size_t> drawn = collect_drawn(line);
    draw_points(list, line, drawn);
    const float x = line.x(plot.spread.median);
    draw_rect(list, {x, line.min.y + px(1)}, {x + px(2), line.max.y - px(1)}, color::palette().text);
    record_points(line, drawn);
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.title = std::string(plot.value_name) + " of each " + std::string(plot.name),
                          .table = [numbers = table_of(plot)] { return numbers.table(); }};
    });
    if (!hovered) return hit;
    hit.point = nearest_to(line, ImGui::GetIO().MousePos.x);
    hit.clicked = pressed && hit.point;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (hit.point) show_tooltip(plot, plot.spread.points[*hit.point]);
    return hit;
}

}  // namespace ui
