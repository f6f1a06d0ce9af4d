// Ticks, grid and step marks.
#include "ui/timeline/timeline_parts.hpp"

#include "core/base/format.hpp"
#include "ui/timeline/ruler.hpp"
#include "ui/widgets/fill.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ui {
namespace {

constexpr ImU32 kGrid = color::rgb(0x1E2024);  // opaque: cheaper than blending
constexpr ImU32 kStepLine = color::rgb(0x4C9BE8, 70);
constexpr ImU32 kStepBand = color::rgb(0x4C9BE8, 22);

// As close as the widest label allows.
core::Duration tick_step(const TimelineFrame& f) {
    const TimeView& view = f.state.time;
    double least = static_cast<double>(px(80));
    core::Duration step = choose_tick_step(view.px_per_ns, least);
    for (int i = 0; i < 3; ++i) {
        const std::string label = core::format_time_offset(view.range().end - f.zero(), step);
        const double needed = static_cast<double>(text_width(small_style(), label) + px(24));
        if (needed <= least) break;
        least = needed;
        step = choose_tick_step(view.px_per_ns, least);
    }
    return step;
}

bool has_steps(const core::RankSlot& rank) { return !rank.trace().steps.empty(); }

// Whose steps are shown: the rank under the pointer, else of the selected event, else the first that has any.
std::optional<std::uint32_t> find_rank_with_steps(const TimelineFrame& f) {
    const auto ranks = f.run->ranks();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (ImGui::IsMouseHoveringRect(f.tree.min, f.plot.max)) {
        const auto row = f.layout.find_row_at(mouse.y - f.plot.min.y + f.scroll_y);
        if (row && has_steps(ranks[f.layout.rows()[*row].slot])) return f.layout.rows()[*row].slot;
    }
    if (f.state.selected.valid() && has_steps(ranks[f.state.selected.slot])) return f.state.selected.slot;
    const auto found = std::ranges::find_if(ranks, has_steps);
    if (found == ranks.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - ranks.begin());
}

void draw_steps(const TimelineFrame& f, ImDrawList* list) {
    const auto slot = find_rank_with_steps(f);
    if (!slot) return;
    const core::RankSlot* rank = &f.run->rank(*slot);
    const float top = f.ruler.max.y - px(15);
    float free_from = f.ruler.min.x;
    for (const core::Step& step : rank->trace().steps) {
        const float left = f.x_of(rank->clock.to_run(step.range.begin));
        const float right = f.x_of(rank->clock.to_run(step.range.end));
        if (right < f.ruler.min.x || left > f.ruler.max.x || right - left < 2) continue;
        const float from = std::max(left, f.ruler.min.x);
        list->AddRectFilled({from, top}, {std::min(right, f.ruler.max.x) - 1, f.ruler.max.y - 1}, kStepBand);
        if (left >= f.ruler.min.x) list->AddRectFilled({left, top}, {left + 1, f.ruler.max.y - 1}, kStepLine);
        const std::string label = "step " + std::to_string(step.number);
        const float width = text_width(small_style(), label);
        if (from < free_from || width + px(8) > std::min(right, f.ruler.max.x) - from) continue;
        draw_text(list, small_style(), {from + px(5), top + px(1)}, color::kMuted, label);
        free_from = from + width + px(8);
    }
}

std::string pointer_label(const TimelineFrame& f) {
    const core::RunTime t = f.state.time.to_time(static_cast<double>(ImGui::GetIO().MousePos.x - f.plot.min.x));
    const core::Duration pixel{static_cast<std::int64_t>(std::max(1.0, f.state.time.ns_per_px()))};
    return core::format_time_offset(t - f.zero(), pixel);
}

// Where the time at the pointer is shown; empty while the pointer is elsewhere.
Box find_pointer_chip(const TimelineFrame& f) {
    if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) ||
        !ImGui::IsMouseHoveringRect(f.plot.min, f.plot.max))
        return {};
    const float width = text_width(small_style(), pointer_label(f)) + px(12);
    const float x = std::floor(std::clamp(ImGui::GetIO().MousePos.x - width / 2, f.ruler.min.x,
                                          std::max(f.ruler.min.x, f.ruler.max.x - width)));
    return {{x, f.ruler.min.y + px(1)}, {x + width, f.ruler.min.y + px(18)}};
}

// The dragged area's length, beside the steps: there it hides no event.
void draw_area_length(const TimelineFrame& f, ImDrawList* list) {
    if (!f.state.area) return;
    const float left = std::max(f.x_of(f.state.area->begin), f.ruler.min.x);
    const float right = std::min(f.x_of(f.state.area->end), f.ruler.max.x);
    const float top = f.ruler.max.y - px(17);
    const float bottom = f.ruler.max.y - 1;
    if (right >= left) list->AddRectFilled({left, top}, {std::max(right, left + 1), bottom}, color::rgb(0x4C9BE8, 90));
    const std::string length = core::format_duration(f.state.area->length());
    const float width = text_width(small_style(), length) + px(12);
    const float x = std::floor(
        std::clamp((left + right - width) / 2, f.ruler.min.x, std::max(f.ruler.min.x, f.ruler.max.x - width)));
    list->AddRectFilled({x, top}, {x + width, bottom}, color::kAccent, px(3));
    draw_text(list, small_style(), {x + px(6), top + px(2)}, color::text_on(color::kAccent), length);
}

}  // namespace

void draw_step_lines(const TimelineFrame& f) {
    const auto slot = find_rank_with_steps(f);
    if (!slot) return;
    float top = f.plot.max.y;
    float bottom = f.plot.min.y;
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        if (row.slot != *slot) continue;
        top = std::min(top, f.row_top(row));
        bottom = std::max(bottom, f.row_top(row) + row.height);
    }
    float free_from = f.plot.min.x;
    for (const core::Step& step : f.run->rank(*slot).trace().steps) {
        for (const core::RankTime t : {step.range.begin, step.range.end}) {
            const float x = f.x_of(f.run->rank(*slot).clock.to_run(t));
            if (x < free_from || x >= f.plot.max.x) continue;
            ImGui::GetWindowDrawList()->AddRectFilled({x, top}, {x + 1, bottom}, kStepLine);
            free_from = x + px(4);
        }
    }
}

void draw_grid(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const Tick& tick : collect_ticks(f.state.time, f.zero(), tick_step(f))) {
        const float x = f.plot.min.x + tick.px;
        if (tick.px >= 0) fill(list, {x, f.plot.min.y}, {x + 1, f.plot.max.y}, kGrid);
    }
}

void draw_ruler(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(f.ruler.min, f.ruler.max, true);
    const Box chip = find_pointer_chip(f);
    const core::Duration step = tick_step(f);
    for (const Tick& tick : collect_ticks(f.state.time, f.zero(), step)) {
        const float x = f.ruler.min.x + tick.px;
        list->AddRectFilled({x, f.ruler.min.y + px(4)}, {x + 1, f.ruler.min.y + px(17)}, color::kLine);
        const std::string label = core::format_time_offset(tick.offset, step);
        const bool hidden =
            chip.width() > 0 && x < chip.max.x && x + px(8) + text_width(small_style(), label) > chip.min.x;
        if (!hidden) draw_text(list, small_style(), {x + px(5), f.ruler.min.y + px(3)}, color::kMuted, label);
    }
    draw_steps(f, list);
    draw_area_length(f, list);
    if (chip.width() > 0) {
        list->AddRectFilled(chip.min, chip.max, color::kLine, px(3));
        draw_text(list, small_style(), {chip.min.x + px(6), f.ruler.min.y + px(3)}, color::kText, pointer_label(f));
    }
    list->PopClipRect();
}

}  // namespace ui
