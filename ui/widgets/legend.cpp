#include "ui/widgets/legend.hpp"

#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kLine = 18;   // height at scale 1
constexpr float kGap = 14;    // after a swatch, and between parts

float part_width(const BarPart& part) { return px(kGap) + text_width(small_style(), part.name); }

constexpr float kOff = 0.3f;   // opacity of a swatch that is off
constexpr std::string_view kHint = "Filters by this class; Ctrl adds it to the others";

struct PartHit {
    bool clicked = false;
    bool hovered = false;
};

PartHit draw_part(const BarPart& part, ImVec2 at, const ChartNotes* notes, std::size_t index) {
    PartHit hit;
    ImGui::SetCursorScreenPos(at);
    if (part.clickable) {
        hit.clicked = invisible_button(part.name.c_str(), {part_width(part), px(kLine)});
        record_item("##legend:" + part.name);
        hit.hovered = ImGui::IsItemHovered();
        if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (hit.hovered) draw_notes_tooltip(notes, index, 1, part.hint.empty() ? kHint : part.hint);
    } else if (notes) {
        ImGui::Dummy({part_width(part), px(kLine)});
        record_item("##legend:" + part.name);
        if (ImGui::IsItemHovered()) draw_notes_tooltip(notes, index, 1);
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float side = px(9);
    const float top = std::floor(at.y + (px(kLine) - side) / 2);
    draw_rect(list, {at.x, top}, {at.x + side, top + side},
              part.off ? color::mix(color::palette().panel, part.color, kOff) : part.color, px(2));
    draw_text(list, small_style(), {at.x + px(kGap), at.y + (px(kLine) - small_style().size_px) / 2 - px(1)},
              hit.hovered ? color::palette().text
              : part.off  ? color::palette().faint
                          : color::palette().muted,
              part.name);
    return hit;
}

constexpr float kMark = 16;   // width of a side's mark

float side_width(core::Side side) { return px(kMark + 5) + text_width(small_style(), name_of(side)); }

}  // namespace

float legend_width(std::span<const BarPart> parts) {
    float width = 0;
    for (const BarPart& part : parts) width += part_width(part) + px(kGap);
    return std::max(0.0f, width - px(kGap));
}

std::optional<std::size_t> draw_legend(std::span<const BarPart> parts, float width, std::optional<std::size_t>* pointed,
                                       const ChartNotes* notes) {
    std::optional<std::size_t> clicked;
    if (pointed) pointed->reset();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    float x = 0;
    float y = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const float wide = part_width(parts[i]);
        if (x > 0 && x + wide > width) {
            x = 0;
            y += px(kLine);
        }
        const PartHit hit = draw_part(parts[i], {corner.x + x, corner.y + y}, notes, i);
        if (hit.clicked) clicked = i;
        if (hit.hovered && pointed) *pointed = i;
        x += wide + px(kGap);
    }
    ImGui::SetCursorScreenPos(corner);
    ImGui::Dummy({width, y + px(kLine)});
    return clicked;
}

float sides_legend_width() { return side_width(core::Side::Baseline) + px(kGap) + side_width(core::Side::Candidate); }

void draw_sides_legend() {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float top = std::floor(at.y + (px(kLine) - px(9)) / 2);
    float x = at.x;
    for (const core::Side side : core::kSides) {
        const ImVec2 end{x + px(kMark), top + px(9)};
        draw_rect(list, {x, top}, end, color::palette().muted);
        if (side == core::Side::Candidate) draw_hatch(list, {x, top}, end);
        draw_text(list, small_style(), {end.x + px(5), at.y + (px(kLine) - small_style().size_px) / 2 - px(1)},
                  color::palette().muted, name_of(side));
        x += side_width(side) + px(kGap);
    }
    ImGui::Dummy({sides_legend_width(), px(kLine)});
}

}  // namespace ui
