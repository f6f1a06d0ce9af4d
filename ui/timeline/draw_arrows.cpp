// Curves from a launch call to what it put on the GPU, for the selected event.
#include "ui/timeline/timeline_parts.hpp"

#include "ui/theme.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostArrows = 64;
ImU32 arrow_color() { return color::with_alpha(color::kArrow, 200); }

struct End {
    ImVec2 at;
    bool outside = false;  // of the plot: drawn at its edge
};

End end_at(const TimelineFrame& f, ImVec2 at) {
    const float margin = px(5);
    const ImVec2 inside{
        std::clamp(at.x, f.plot.min.x + margin, std::max(f.plot.min.x + margin, f.plot.max.x - margin)),
        std::clamp(at.y, f.plot.min.y + margin, std::max(f.plot.min.y + margin, f.plot.max.y - margin))};
    return {inside, at.x < f.plot.min.x || at.x > f.plot.max.x || at.y < f.plot.min.y || at.y > f.plot.max.y};
}

// A head at `tip` for a line that comes along (dx, dy).
void draw_head(ImDrawList* list, ImVec2 tip, float dx, float dy) {
    const float length = std::max(std::hypot(dx, dy), 1e-3f);
    const ImVec2 along{dx / length * px(7), dy / length * px(7)};
    const ImVec2 across{-along.y * 0.45f, along.x * 0.45f};
    list->AddTriangleFilled(tip, {tip.x - along.x + across.x, tip.y - along.y + across.y},
                            {tip.x - along.x - across.x, tip.y - along.y - across.y}, arrow_color());
}

void draw_arrow(const TimelineFrame& f, ImDrawList* list, std::uint32_t slot, core::EventId call, core::EventId work) {
    const std::optional<Box> call_box = f.event_box({slot, call});
    if (!call_box) return;  // of a hidden rank
    const Box from = *call_box;
    const Box to = *f.event_box({slot, work});
    const ImVec2 goal{to.min.x, std::floor((to.min.y + to.max.y) / 2)};
    const ImVec2 origin{from.min.x, std::floor((from.min.y + from.max.y) / 2)};
    const End a = end_at(f, origin);
    const End b = end_at(f, goal);
    if (a.outside && b.outside) return;
    const float reach = std::clamp(std::fabs(b.at.x - a.at.x) / 2, px(12), px(120));
    const ImVec2 bend{b.at.x - reach, b.at.y};
    list->AddBezierCubic(a.at, {a.at.x + reach, a.at.y}, bend, b.at, arrow_color(), std::max(1.0f, px(1)));
    // Out of view, the head says where to; in view it comes from the left, as the curve does.
    if (b.outside)
        draw_head(list, b.at, goal.x - b.at.x, goal.y - b.at.y);
    else
        draw_head(list, b.at, 1, 0);
    if (!a.outside) list->AddCircleFilled(a.at, px(5) / 2, arrow_color());
}

}  // namespace

std::size_t draw_arrows(const TimelineFrame& f) {
    const core::EventRef selected = f.state.selected;
    if (!selected.valid()) return 0;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const core::RankTrace& trace = f.run->rank(selected.slot).trace();
    if (trace.has(selected.event, core::kGpuEvent)) {
        const core::EventId call = trace.parent[core::index_of(selected.event)];
        if (call == core::kNoEvent) return 0;
        draw_arrow(f, list, selected.slot, call, selected.event);
        return 1;
    }
    const auto launched = trace.launched_by(selected.event);
    const std::size_t count = std::min(launched.size(), kMostArrows);
    for (const core::EventId work : launched.first(count)) draw_arrow(f, list, selected.slot, selected.event, work);
    return count;
}

}  // namespace ui
