#include "ui/timeline/parts/cut_marks.hpp"

#include "core/base/format.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/timeline/parts/clock_chip.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include <cmath>

namespace ui {
namespace {

constexpr float kBreakWidth = 4;  // sizes at scale 1
constexpr float kBreakReach = 10;  // of the pointer

bool is_in_view(const TimelineFrame& f, float x) { return x > f.plot.min.x && x < f.plot.max.x; }

// Two slanted strokes, as a broken axis has them.
void draw_break(ImDrawList* list, ImVec2 at, float height, ImU32 color) {
    const float slant = px(kBreakWidth);
    for (const float left : {-px(2), px(2)})
        list->AddLine({at.x + left - slant / 2, at.y + height}, {at.x + left + slant / 2, at.y}, color,
                      std::max(1.0f, px(1.5f)));
}

}  // namespace

void draw_cut_lines(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const core::CutGap& gap : f.frame.session.cut_gaps_of(f.frame.side)) {
        const float x = f.x_of(gap.at);
        if (!is_in_view(f, x)) continue;
        for (float y = f.plot.min.y; y < f.plot.max.y; y += px(6))
            list->AddRectFilled({x, y}, {x + 1, std::min(y + px(3), f.plot.max.y)}, color::palette().warning);
    }
}

void draw_cut_marks(TimelineFrame& f) {
    int number = 0;
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const core::CutGap& gap : f.frame.session.cut_gaps_of(f.frame.side)) {
        const std::string id = "##cut:" + std::to_string(++number);
        const float x = f.x_of(gap.at);
        if (!is_in_view(f, x)) continue;
        const std::string words = core::format_duration(gap.length) + " cut";
        const float width = text_width(small_style(), words);
        const Box clocks = find_clock_chip(f);
        const float end = clocks.width() > 0 ? clocks.min.x : f.ruler.max.x;
        const bool is_left = x + px(kBreakReach) + width > end;  // words would reach over the chip
        const ImVec2 min{std::floor(x - px(kBreakReach) - (is_left ? width : 0)), f.ruler.min.y + px(1)};
        const ImVec2 max{std::min(f.ruler.max.x, x + px(kBreakReach) + (is_left ? 0 : width)), f.ruler.min.y + px(18)};
        ImGui::SetCursorScreenPos(min);
        const bool clicked = invisible_button(id.c_str(), {std::max(1.0f, max.x - min.x), max.y - min.y});
        record_item(id);
        const bool hovered = ImGui::IsItemHovered();
        list->PushClipRect(f.ruler.min, f.ruler.max, true);
        list->AddRectFilled(min, max, hovered ? color::palette().line : color::palette().panel, px(3));
        draw_break(list, {x, min.y + px(3)}, max.y - min.y - px(6), color::palette().warning);
        draw_text(list, small_style(), {is_left ? x - px(8) - width : x + px(8), min.y + px(2)},
                  color::palette().warning, words);
        list->PopClipRect();
        if (hovered)
            show_tooltip(core::format_duration(gap.length) +
                         " between two captures are not on this axis: what is right of here came that much later.\n"
                         "Click: show that time.");
        if (clicked) f.frame.intents.push_back(CutGaps{false});
    }
}

}  // namespace ui
