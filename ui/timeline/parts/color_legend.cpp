// Legend for bar colours that labels do not explain: a small box in the lower right corner of the plot.
#include "ui/timeline/parts/timeline_parts.hpp"

#include "ui/style/fill.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr float kLegendRamp = 140;  // px at scale 1
constexpr float kLegendHeight = 22;
constexpr int kRampCells = 35;

struct ClassEntry {
    const char* name;
    core::KernelClass kernel_class;
};
constexpr std::array kClassEntries{
    ClassEntry{"compute", core::KernelClass::Compute}, ClassEntry{"communication", core::KernelClass::Communication},
    ClassEntry{"memory", core::KernelClass::Memory}, ClassEntry{"other", core::KernelClass::None}};

constexpr const char* kWaiting = "waiting for a later rank";

float waiting_width() { return text_width(small_style(), kWaiting) + px(32); }

void draw_waiting_entry(ImDrawList* list, ImVec2 at) {
    const ImVec2 max{at.x + px(14), at.y + px(11)};
    draw_rect(list, {at.x, at.y + px(3)}, max, color::palette().waiting);
    draw_hatch(list, {at.x, at.y + px(3)}, max);
    draw_text(list, small_style(), {at.x + px(20), at.y}, color::palette().muted, kWaiting);
    record_rect("color-legend:waiting", {at.x, at.y}, max, false);
}

// Reserves space and draws the background; returns the top left corner.
ImVec2 begin_legend(const TimelineFrame& f, ImDrawList* list, float width) {
    const ImVec2 max{f.plot.max.x - px(8), f.plot.max.y - px(8)};
    const ImVec2 min{std::floor(max.x - width - px(20)), max.y - px(kLegendHeight)};
    list->AddRectFilled(min, max, color::palette().panel, px(4));
    list->AddRect(min, max, color::palette().line, px(4));
    record_rect("color-legend", min, max, false);
    return {min.x + px(10), min.y + std::floor((px(kLegendHeight) - small_style().size_px) / 2)};
}

void draw_duration_legend(const TimelineFrame& f, ImDrawList* list) {
    constexpr const char* kShort = "1 \xC2\xB5s";
    constexpr const char* kLong = "100 ms";
    const float before = text_width(small_style(), kShort) + px(6);
    const float after = text_width(small_style(), kLong) + px(6);
    const ImVec2 at = begin_legend(f, list, before + px(kLegendRamp) + after);
    draw_text(list, small_style(), at, color::palette().muted, kShort);
    const float cell = px(kLegendRamp) / kRampCells;
    for (int i = 0; i < kRampCells; ++i) {
        const double share = (i + 0.5) / kRampCells;
        const double ns = color::kShortestColored * std::pow(color::kLongestColored / color::kShortestColored, share);
        const float x = at.x + before + cell * static_cast<float>(i);
        list->AddRectFilled({x, at.y + px(2)}, {x + cell, at.y + small_style().size_px - px(1)},
                            color::of_duration(ns));
    }
    draw_text(list, small_style(), {at.x + before + px(kLegendRamp) + px(6), at.y}, color::palette().muted, kLong);
}

void draw_class_legend(const TimelineFrame& f, ImDrawList* list) {
    float width = -px(12);
    for (const ClassEntry& entry : kClassEntries) width += text_width(small_style(), entry.name) + px(26);
    const bool waits = f.waits && f.waits->any;
    if (waits) width += waiting_width();
    ImVec2 at = begin_legend(f, list, width);
    for (const ClassEntry& entry : kClassEntries) {
        list->AddRectFilled({at.x, at.y + px(3)}, {at.x + px(8), at.y + px(11)}, color::of_class(entry.kernel_class),
                            px(2));
        draw_text(list, small_style(), {at.x + px(14), at.y}, color::palette().muted, entry.name);
        at.x += text_width(small_style(), entry.name) + px(26);
    }
    if (waits) draw_waiting_entry(list, at);
}

void draw_waiting_legend(const TimelineFrame& f, ImDrawList* list) {
    draw_waiting_entry(list, begin_legend(f, list, waiting_width() - px(12)));
}

}  // namespace

void draw_color_legend(const TimelineFrame& f) {
    if (f.plot.height() < px(120) || f.plot.width() < px(420)) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (f.choices().color_by == ColorBy::Duration) draw_duration_legend(f, list);
    if (f.choices().color_by == ColorBy::Class) return draw_class_legend(f, list);
    if (f.choices().color_by != ColorBy::Duration && f.waits && f.waits->any) draw_waiting_legend(f, list);
}

}  // namespace ui
