#include "ui/charts/legend.hpp"

#include "ui/widgets/items.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLine = 18;   // height at scale 1
constexpr float kGap = 14;    // after a swatch, and between parts

float part_width(const BarPart& part) { return px(kGap) + text_width(small_style(), part.name); }

// True when it was clicked.
bool draw_part(const BarPart& part, ImVec2 at) {
    bool clicked = false;
    bool hovered = false;
    ImGui::SetCursorScreenPos(at);
    if (part.clickable) {
        clicked = ImGui::InvisibleButton(part.name.c_str(), {part_width(part), px(kLine)});
        record_item("##legend:" + part.name);
        hovered = ImGui::IsItemHovered();
        if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        tooltip("Filters by this class; with Ctrl it joins the others");
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float side = px(9);
    const float top = std::floor(at.y + (px(kLine) - side) / 2);
    draw_rect(list, {at.x, top}, {at.x + side, top + side}, part.color, px(2));
    draw_text(list, small_style(), {at.x + px(kGap), at.y + (px(kLine) - small_style().size_px) / 2 - px(1)},
              hovered ? color::kText : color::kMuted, part.name);
    return clicked;
}

}  // namespace

float legend_width(std::span<const BarPart> parts) {
    float width = 0;
    for (const BarPart& part : parts) width += part_width(part) + px(kGap);
    return std::max(0.0f, width - px(kGap));
}

std::optional<std::size_t> draw_legend(std::span<const BarPart> parts, float width) {
    std::optional<std::size_t> clicked;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    float x = 0;
    float y = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const float wide = part_width(parts[i]);
        if (x > 0 && x + wide > width) {
            x = 0;
            y += px(kLine);
        }
        if (draw_part(parts[i], {corner.x + x, corner.y + y})) clicked = i;
        x += wide + px(kGap);
    }
    ImGui::SetCursorScreenPos(corner);
    ImGui::Dummy({width, y + px(kLine)});
    return clicked;
}

}  // namespace ui
