// Ticks, grid and step marks.
#include "ui/timeline/timeline_parts.hpp"

#include "core/base/format.hpp"
#include "ui/timeline/ruler.hpp"
#include "ui/widgets/fill.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>
#include <cmath>

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
        const std::string label = core::format_time_offset(view.range().end - f.run->origin(), step);
        const double needed = static_cast<double>(text_width(small_style(), label) + px(24));
        if (needed <= least) break;
        least = needed;
        step = choose_tick_step(view.px_per_ns, least);
    }
    return step;
}

// Steps of the first rank that has any stand for all.
const core::RankSlot* find_rank_with_steps(const core::Run& run) {
    const auto found = std::find_if(run.ranks().begin(), run.ranks().end(), [](const core::RankSlot& rank) { return !rank.trace().steps.empty(); });
    return found == run.ranks().end() ? nullptr : &*found;
}

void draw_steps(const TimelineFrame& f, ImDrawList* list) {
    const core::RankSlot* rank = find_rank_with_steps(*f.run);
    if (rank == nullptr) return;
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

}  // namespace

void draw_grid(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const Tick& tick : collect_ticks(f.state.time, f.run->origin(), tick_step(f))) {
        const float x = f.plot.min.x + tick.px;
        if (tick.px >= 0) fill(list, {x, f.plot.min.y}, {x + 1, f.plot.max.y}, kGrid);
    }
}

void draw_ruler(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(f.ruler.min, f.ruler.max, true);
    const core::Duration step = tick_step(f);
    for (const Tick& tick : collect_ticks(f.state.time, f.run->origin(), step)) {
        const float x = f.ruler.min.x + tick.px;
        list->AddRectFilled({x, f.ruler.min.y + px(4)}, {x + 1, f.ruler.min.y + px(17)}, color::kLine);
        draw_text(list, small_style(), {x + px(5), f.ruler.min.y + px(3)}, color::kMuted, core::format_time_offset(tick.offset, step));
    }
    draw_steps(f, list);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool over_plot = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) && ImGui::IsMouseHoveringRect(f.plot.min, f.plot.max);
    if (over_plot) {
        const core::RunTime t = f.state.time.to_time(static_cast<double>(mouse.x - f.plot.min.x));
        const core::Duration pixel{static_cast<std::int64_t>(std::max(1.0, f.state.time.ns_per_px()))};
        const std::string label = core::format_time_offset(t - f.run->origin(), pixel);
        const float width = text_width(small_style(), label) + px(12);
        const float x = std::clamp(mouse.x - width / 2, f.ruler.min.x, f.ruler.max.x - width);
        list->AddRectFilled({x, f.ruler.min.y + px(1)}, {x + width, f.ruler.min.y + px(18)}, color::kLine, px(3));
        draw_text(list, small_style(), {x + px(6), f.ruler.min.y + px(3)}, color::kText, label);
    }
    list->PopClipRect();
}

}  // namespace ui
