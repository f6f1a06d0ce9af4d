#include "ui/charts/stacked_bars.hpp"

#include "ui/charts/axis.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr ImU32 kGrid = color::rgb(0x262B34);
constexpr float kAxis = 20;  // height at scale 1
constexpr std::string_view kAbsent = "\xE2\x80\x93";

double clean(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

struct Layout {
    float label_width;
    float value_width;
    float plot_width;
    float bar;
    float pitch;
};

// Rows move together a little before the list scrolls.
float pitch_for(std::size_t rows, float height) {
    return std::clamp(std::floor((height - px(kAxis)) / static_cast<float>(std::max<std::size_t>(1, rows))), px(17),
                      px(26));
}

Layout lay_out(const StackedBars& chart, ImVec2 size, bool scrolls) {
    float label = 0;
    float value = 0;
    for (const BarRow& row : chart.rows) {
        label = std::max(label, text_width(ui_style(), row.label));
        value = std::max(value, text_width(mono_style(), format_value(row.total(), chart.unit)));
    }
    Layout layout{};
    layout.label_width = std::min(label, size.x * 0.4f) + px(10);
    layout.value_width = value + px(10) + (scrolls ? px(12) : 0);
    layout.plot_width = std::max(px(40), size.x - layout.label_width - layout.value_width);
    layout.pitch = pitch_for(chart.rows.size(), size.y);
    layout.bar = layout.pitch - px(layout.pitch >= px(20) ? 6 : 4);
    return layout;
}

void draw_grid(ImDrawList* list, const Layout& layout, const Axis& axis, ImVec2 top_left, float height) {
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        const float x = std::floor(top_left.x + layout.label_width +
                                   static_cast<float>(axis.tick(i) / axis.most) * layout.plot_width);
        list->AddRectFilled({x, top_left.y}, {x + 1, top_left.y + height}, kGrid);
    }
}

void draw_ticks(ImDrawList* list, const Layout& layout, const Axis& axis, ImVec2 top_left) {
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        std::string label = axis.label(axis.tick(i));
        if (i + 1 == axis.ticks() && !axis.suffix.empty()) label += " " + axis.suffix;
        const float number = text_width(mono_style(), axis.label(axis.tick(i)));
        const float width = text_width(mono_style(), label);
        const float x =
            top_left.x + layout.label_width + static_cast<float>(axis.tick(i) / axis.most) * layout.plot_width;
        const float most = top_left.x + layout.label_width + layout.plot_width + layout.value_width - width;
        const float left = i == 0 ? x : std::min(x - number / 2, most);
        draw_text(list, mono_style(), {left, top_left.y + px(3)}, color::kFaint, label);
    }
}

void show_tooltip(const StackedBars& chart, const BarRow& row) {
    ImGui::BeginTooltip();
    heading(row.label);
    const double total = row.total();
    for (std::size_t p = 0; p < chart.parts.size(); ++p) {
        const bool shared = total > 0 && chart.parts.size() > 1;
        tooltip_line(chart.parts[p].name, format_value(row.values[p], chart.unit), chart.parts[p].color,
                     shared ? format_value(clean(row.values[p]) / total, core::Unit::Ratio) : std::string());
    }
    if (chart.parts.size() > 1) tooltip_line("Together", format_value(total, chart.unit));
    ImGui::EndTooltip();
}

// Segments of one bar; returns the part under the pointer.
std::optional<std::size_t> draw_segments(ImDrawList* list, const StackedBars& chart, const BarRow& row,
                                         const Layout& layout, double most, ImVec2 at, bool hovered) {
    std::optional<std::size_t> hit;
    const double scale = chart.share ? row.total() : most;
    const float mouse = ImGui::GetIO().MousePos.x;
    double before = 0;
    for (std::size_t p = 0; p < chart.parts.size() && scale > 0; ++p) {
        const double after = before + clean(row.values[p]);
        const float x0 = std::floor(at.x + static_cast<float>(before / scale) * layout.plot_width);
        const float x1 = std::floor(at.x + static_cast<float>(after / scale) * layout.plot_width);
        const bool something = after > before;
        before = after;
        if (!something) continue;
        const float end = std::max(x0 + 1, x1 - (p + 1 < chart.parts.size() ? 1 : 0));
        const bool pointed = hovered && mouse >= x0 && mouse < std::max(x1, x0 + 1);
        const ImU32 fill = pointed ? color::mix(chart.parts[p].color, color::kText, 0.18f) : chart.parts[p].color;
        list->AddRectFilled({x0, at.y}, {end, at.y + layout.bar}, fill);
        if (pointed) hit = p;
        if (chart.parts.size() == 1) continue;
        const std::string label = format_value(clean(row.values[p]) / row.total(), core::Unit::Ratio);
        const float width = text_width(small_style(), label);
        if (end - x0 > width + px(10))
            draw_text(list, small_style(), {(x0 + end - width) / 2, at.y + (layout.bar - small_style().size_px) / 2},
                      color::text_on(fill), label);
    }
    return hit;
}

void draw_row(ImDrawList* list, const StackedBars& chart, std::size_t index, const Layout& layout, double most,
              ImVec2 at, float width, bool hovered, BarHit& hit) {
    const BarRow& row = chart.rows[index];
    const float text_y = at.y + (layout.pitch - ui_style().size_px) / 2 - px(1);
    draw_text(list, ui_style(), {at.x, text_y}, hovered ? color::kText : color::kMuted, row.label,
              layout.label_width - px(10));
    const ImVec2 bar{at.x + layout.label_width, at.y + std::floor((layout.pitch - layout.bar) / 2)};
    const auto part = draw_segments(list, chart, row, layout, most, bar, hovered);
    const std::string value = row.absent ? std::string(kAbsent) : format_value(row.total(), chart.unit);
    draw_text_right(list, mono_style(), {at.x + width, text_y}, color::kMuted, value);
    record_rect("##bar:" + row.label, bar, {bar.x + layout.plot_width, bar.y + layout.bar}, hovered);
    if (!hovered) return;
    hit.row = index;
    hit.part = part;
}

}  // namespace

double BarRow::total() const {
    double sum = 0;
    for (const double value : values) sum += clean(value);
    return sum;
}

BarHit draw_stacked_bars(const char* id, const StackedBars& chart, ImVec2 size) {
    BarHit hit;
    double most = 0;
    for (const BarRow& row : chart.rows) most = std::max(most, row.total());
    const Axis axis =
        chart.share ? make_share_axis() : make_axis(most, chart.unit, std::max(3, static_cast<int>(size.x / px(140))));
    const float axis_height = px(kAxis);
    const float needed = pitch_for(chart.rows.size(), size.y) * static_cast<float>(chart.rows.size());
    const float list_height = std::min(needed, std::max(px(22), size.y - axis_height));
    const bool scrolls = needed > list_height + 1;
    const Layout layout = lay_out(chart, size, scrolls);
    const ImVec2 corner = ImGui::GetCursorScreenPos();

    ImGui::BeginGroup();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild(id, {size.x, list_height}, false,
                      scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_grid(list, layout, axis, corner, list_height);
    const float width = size.x - (scrolls ? px(12) : 0);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(chart.rows.size()), layout.pitch);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            ImGui::PushID(i);
            const ImVec2 at = ImGui::GetCursorScreenPos();
            hit.clicked |= ImGui::InvisibleButton("row", {width, layout.pitch});
            const bool hovered = ImGui::IsItemHovered();
            draw_row(list, chart, static_cast<std::size_t>(i), layout, axis.most, at, width, hovered, hit);
            ImGui::PopID();
        }
    }
    clipper.End();
    ImGui::EndChild();
    draw_ticks(ImGui::GetWindowDrawList(), layout, axis, {corner.x, corner.y + list_height});
    ImGui::Dummy({size.x, axis_height});
    ImGui::PopStyleVar(2);
    ImGui::EndGroup();
    if (hit.row && !chart.rows[*hit.row].absent) show_tooltip(chart, chart.rows[*hit.row]);
    return hit;
}

float legend_width(std::span<const BarPart> parts) {
    float width = 0;
    for (const BarPart& part : parts) width += px(14) + text_width(small_style(), part.name) + px(14);
    return std::max(0.0f, width - px(14));
}

void draw_legend(std::span<const BarPart> parts, float width) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = px(18);
    const float side = px(9);
    float x = 0;
    float y = 0;
    for (const BarPart& part : parts) {
        const float wide = px(14) + text_width(small_style(), part.name);
        if (x > 0 && x + wide > width) {
            x = 0;
            y += line;
        }
        const ImVec2 at{corner.x + x, corner.y + y};
        const float top = std::floor(at.y + (line - side) / 2);
        list->AddRectFilled({at.x, top}, {at.x + side, top + side}, part.color, px(2));
        draw_text(list, small_style(), {at.x + px(14), at.y + (line - small_style().size_px) / 2 - px(1)},
                  color::kMuted, part.name);
        x += wide + px(14);
    }
    ImGui::Dummy({width, y + line});
}

}  // namespace ui
