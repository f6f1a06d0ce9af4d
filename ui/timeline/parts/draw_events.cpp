// Labels on bars and overlays: selection, hover, the dragged area.
#include "ui/timeline/model/area_rows.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostLabels = 1000;
constexpr float kLeastLabelWidth = 22;
constexpr float kLabelFadesOver = 16;  // width beyond the minimum at which a label is fully opaque
constexpr float kFaintestLabel = 0.5f;

constexpr ImU32 kAreaFill = color::rgb(0x4C9BE8, 26);
constexpr ImU32 kAreaEdge = color::rgb(0x4C9BE8, 200);

struct Fitted {
    std::string_view text;
    std::string cut;           // owns the text if it was cut
};

Fitted fit_label(const EventNames::Label& label, float room) {
    if (label.normal_px <= room) return {label.name.normal, {}};
    if (label.brief_px <= room) return {label.name.brief, {}};
    Fitted fitted;
    fitted.cut = fit_text(small_style(), label.name.brief, room);
    if (fitted.cut.size() < 6) fitted.cut.clear();  // fewer than three letters and "…" are useless
    return fitted;
}

void draw_outline(const TimelineFrame& f, ImDrawList* list, core::EventRef ref, ImU32 color, float thickness) {
    if (!ref.valid() || !f.shows(ref)) return;
    const Box box = *f.event_box(ref);
    const float grow = std::floor(thickness / 2);
    list->AddRect({box.min.x - grow, box.min.y - grow},
                  {std::max(box.max.x, box.min.x + px(2)) + grow, box.max.y + grow}, color, 0, 0, thickness);
}

void draw_area(const TimelineFrame& f, ImDrawList* list) {
    if (!f.view.area) return;
    const float left = f.x_of(f.view.area->begin);
    const float right = std::max(f.x_of(f.view.area->end), left + 1);
    const auto draw_part = [&](float top, float bottom) {
        list->AddRectFilled({left, top}, {right, bottom}, kAreaFill);
        list->AddRectFilled({left, top}, {left + 1, bottom}, kAreaEdge);
        list->AddRectFilled({right - 1, top}, {right, bottom}, kAreaEdge);
    };
    if (f.view.area_rows.empty()) return draw_part(f.plot.min.y, f.plot.max.y);
    // Merges consecutive rows into one part with an upper and a lower edge.
    for (std::size_t first = f.first_row; first < f.last_row;) {
        std::size_t last = first;
        while (last < f.last_row && f.area_look.has(f.layout.rows()[last])) ++last;
        if (last > first) {
            const LayoutRow& lowest = f.layout.rows()[last - 1];
            const float top = f.row_top(f.layout.rows()[first]);
            const float bottom = f.row_top(lowest) + lowest.height;
            draw_part(top, bottom);
            list->AddRectFilled({left, top}, {right, top + 1}, kAreaEdge);
            list->AddRectFilled({left, bottom - 1}, {right, bottom}, kAreaEdge);
        }
        first = std::max(last, first + 1);
    }
}

// Dims times outside the filter.
void draw_outside(const TimelineFrame& f, ImDrawList* list) {
    const auto range = f.frame.filter().time_range(*f.run);
    if (!range) return;
    const ImU32 veil = color::with_alpha(color::palette().casing, 130);
    const float left = std::clamp(f.x_of(range->begin), f.plot.min.x, f.plot.max.x);
    const float right = std::clamp(f.x_of(range->end), left, f.plot.max.x);
    if (left > f.plot.min.x) list->AddRectFilled(f.plot.min, {left, f.plot.max.y}, veil);
    if (right < f.plot.max.x) list->AddRectFilled({right, f.plot.min.y}, f.plot.max, veil);
}

// Marks the time under the pointer on the other side of a comparison.
void draw_echo(const TimelineFrame& f, ImDrawList* list) {
    if (!f.ephemeral.echo) return;
    const float x = f.x_of(*f.ephemeral.echo);
    list->AddRectFilled({x, f.plot.min.y}, {x + 1, f.plot.max.y}, kAreaEdge);
}

}  // namespace

float TimelineFrame::x_of(core::RunTime t) const {
    const double cut = 64;
    const double at = std::clamp(view.time.to_px(t), -cut, static_cast<double>(plot.width()) + cut);
    return plot.min.x + static_cast<float>(std::floor(at + 0.5));
}

std::optional<Box> PlotShape::event_box(core::EventRef ref) const {
    const core::RankSlot& rank = run->rank(ref.slot);
    const core::RankTrace& trace = rank.trace();
    const auto lane = static_cast<std::uint32_t>(trace.find_lane(ref.event));
    const std::optional<std::size_t> at = layout->find_lane_row(*run, ref.slot, lane);
    if (!at) return std::nullopt;
    const LayoutRow& row = layout->rows()[*at];
    const PixelSpan span = pixel_span(time, rank, trace.range(ref.event));
    const RowInset inset = bar_inset(row);
    const bool wide = span.x1 - span.x0 >= static_cast<int>(kWidePx);
    return Box{{plot.min.x + static_cast<float>(span.x0), row_top(row) + inset.top},
               {plot.min.x + static_cast<float>(wide ? span.x1 - 1 : std::max(span.x1, span.x0 + 1)),
                row_top(row) + inset.bottom}};
}

bool TimelineFrame::fades(core::EventRef ref) const {
    const RankLook& look = looks.of(ref.slot);
    return look.rejected || (look.selection && !look.selection->passes(ref.event));
}

bool PlotShape::shows(core::EventRef ref) const {
    const auto lane = static_cast<std::uint32_t>(run->rank(ref.slot).trace().find_lane(ref.event));
    const std::optional<std::size_t> at = layout->find_lane_row(*run, ref.slot, lane);
    if (!at) return false;
    const LayoutRow& row = layout->rows()[*at];
    return row.kind->lane_of(row) == lane;
}

std::size_t draw_labels(const TimelineFrame& f, const Scene& scene) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    std::size_t drawn = 0;
    const float width = f.plot.width();
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        const RowInset inset = bar_inset(row);
        const float y = f.row_top(row) + std::floor((inset.top + inset.bottom - small_style().size_px) / 2);
        for (const VisibleRect& rect : scene.rects(i)) {
            const bool waits = rect.wait_end > rect.x0;
            // A bar that begins with waiting is labelled on its transfer if the name fits there, else on a plate on
            // top.
            const bool beside = waits && static_cast<float>(rect.x1 - rect.wait_end) >= px(3 * kLeastLabelWidth);
            const float left = std::max(static_cast<float>(beside ? rect.wait_end : rect.x0), 0.0f);
            const float right = std::min(static_cast<float>(rect.x1), width);
            if (right - left < px(kLeastLabelWidth)) continue;
            const Fitted label = fit_label(f.names.label(f.run->rank(row.slot), rect.event), right - left - px(8));
            const std::string_view text = label.cut.empty() ? label.text : label.cut;
            if (text.empty()) continue;
            const bool on_plate = waits && !beside;
            const ImU32 behind = on_plate ? rect.wait_color : rect.color;
            const ImU32 full = f.fades({row.slot, rect.event}) ? color::palette().faint : color::text_on(behind);
            const float shown = kFaintestLabel + (right - left - px(kLeastLabelWidth)) / px(kLabelFadesOver);
            const ImU32 color = color::mix(behind, full, shown);
            if (on_plate)
                list->AddRectFilled(
                    {f.plot.min.x + left + px(2), y},
                    {f.plot.min.x + left + px(6) + text_width(small_style(), text), y + small_style().size_px + px(1)},
                    behind);
            list->AddText(fonts().small, fonts().small_px, {f.plot.min.x + left + px(4), y}, color, text.data(),
                          text.data() + text.size());
            if (++drawn == kMostLabels) return drawn;
        }
    }
    return drawn;
}

void draw_marks(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_outside(f, list);
    draw_area(f, list);
    draw_echo(f, list);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
        ImGui::IsMouseHoveringRect(f.plot.min, f.plot.max)) {
        list->AddRectFilled({mouse.x, f.plot.min.y}, {mouse.x + 1, f.plot.max.y},
                            color::with_alpha(color::palette().ink, 28));
    }
    if (f.ephemeral.hovered.valid() && f.ephemeral.hovered != f.view.selected && f.shows(f.ephemeral.hovered)) {
        const Box box = *f.event_box(f.ephemeral.hovered);
        list->AddRectFilled(box.min, box.max, color::with_alpha(color::palette().ink, 36));
        draw_outline(f, list, f.ephemeral.hovered, color::with_alpha(color::palette().ink, 150), 1);
    }
    draw_outline(f, list, f.view.selected, color::palette().ink, px(2));
}

}  // namespace ui
