// Labels on the bars, and what lies over them: selection, hover, launch arrows, the dragged area, tooltips.
#include "ui/timeline/timeline_parts.hpp"

#include "core/base/format.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostLabels = 1000;
constexpr float kLeastLabelWidth = 22;
constexpr std::size_t kMostArrows = 64;
constexpr std::size_t kLongestTooltipName = 600;

constexpr ImU32 kAreaFill = color::rgb(0x4C9BE8, 26);
constexpr ImU32 kAreaEdge = color::rgb(0x4C9BE8, 200);
constexpr ImU32 kOutside = color::rgb(0x0C0E11, 130);
constexpr ImU32 kArrow = color::rgb(0xF2F5F9, 190);

struct Fitted {
    std::string_view text;
    std::string cut;           // holds the text when it had to be cut
};

Fitted fit_label(const EventNames::Label& label, float room) {
    if (label.normal_px <= room) return {label.name.normal, {}};
    if (label.brief_px <= room) return {label.name.brief, {}};
    Fitted fitted;
    fitted.cut = fit_text(small_style(), label.name.brief, room);
    if (fitted.cut.size() < 6) fitted.cut.clear();  // less than three letters and "…" tell nothing
    return fitted;
}

core::RunRange event_range(const core::Run& run, core::EventRef ref) {
    const core::RankSlot& rank = run.rank(ref.slot);
    return rank.clock.to_run(rank.trace().range(ref.event));
}

void draw_outline(const TimelineFrame& f, ImDrawList* list, core::EventRef ref, ImU32 color, float thickness) {
    if (!ref.valid() || !f.shows(ref)) return;
    const Box box = f.event_box(ref);
    const float grow = std::floor(thickness / 2);
    list->AddRect({box.min.x - grow, box.min.y - grow},
                  {std::max(box.max.x, box.min.x + px(2)) + grow, box.max.y + grow}, color, 0, 0, thickness);
}

// From the launch call to what it put on the GPU.
void draw_arrow(const TimelineFrame& f, ImDrawList* list, std::uint32_t slot, core::EventId call, core::EventId work) {
    const Box from = f.event_box({slot, call});
    const Box to = f.event_box({slot, work});
    const ImVec2 a{from.min.x, std::floor((from.min.y + from.max.y) / 2)};
    const ImVec2 b{to.min.x, std::floor((to.min.y + to.max.y) / 2)};
    const float reach = std::clamp(std::fabs(b.x - a.x) / 2, px(12), px(120));
    list->AddBezierCubic(a, {a.x + reach, a.y}, {b.x - reach, b.y}, b, kArrow, std::max(1.0f, px(1)));
    list->AddCircleFilled(a, px(5) / 2, kArrow);
    list->AddTriangleFilled({b.x, b.y}, {b.x - px(6), b.y - px(3)}, {b.x - px(6), b.y + px(3)}, kArrow);
}

void draw_arrows(const TimelineFrame& f, ImDrawList* list) {
    const core::EventRef selected = f.state.selected;
    if (!selected.valid()) return;
    const core::RankTrace& trace = f.run->rank(selected.slot).trace();
    if (trace.has(selected.event, core::kGpuEvent)) {
        const core::EventId call = trace.parent[core::index_of(selected.event)];
        if (call != core::kNoEvent) draw_arrow(f, list, selected.slot, call, selected.event);
        return;
    }
    const auto launched = trace.launched_by(selected.event);
    for (const core::EventId work : launched.first(std::min(launched.size(), kMostArrows)))
        draw_arrow(f, list, selected.slot, selected.event, work);
}

void draw_area(const TimelineFrame& f, ImDrawList* list) {
    if (!f.state.area) return;
    const float left = f.x_of(f.state.area->begin);
    const float right = std::max(f.x_of(f.state.area->end), left + 1);
    list->AddRectFilled({left, f.plot.min.y}, {right, f.plot.max.y}, kAreaFill);
    list->AddRectFilled({left, f.plot.min.y}, {left + 1, f.plot.max.y}, kAreaEdge);
    list->AddRectFilled({right - 1, f.plot.min.y}, {right, f.plot.max.y}, kAreaEdge);
}

// Times the filter leaves out.
void draw_outside(const TimelineFrame& f, ImDrawList* list) {
    const auto range = f.frame.session.filter().time_range(*f.run);
    if (!range) return;
    const float left = std::clamp(f.x_of(range->begin), f.plot.min.x, f.plot.max.x);
    const float right = std::clamp(f.x_of(range->end), left, f.plot.max.x);
    if (left > f.plot.min.x) list->AddRectFilled(f.plot.min, {left, f.plot.max.y}, kOutside);
    if (right < f.plot.max.x) list->AddRectFilled({right, f.plot.min.y}, f.plot.max, kOutside);
}

class TooltipScope {
public:
    TooltipScope() {
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(10)});
        ImGui::BeginTooltip();
    }
    ~TooltipScope() {
        ImGui::EndTooltip();
        ImGui::PopStyleVar();
    }
};

}  // namespace

float TimelineFrame::x_of(core::RunTime t) const {
    const double cut = 64;
    const double at = std::clamp(state.time.to_px(t), -cut, static_cast<double>(plot.width()) + cut);
    return plot.min.x + static_cast<float>(std::floor(at + 0.5));
}

Box TimelineFrame::event_box(core::EventRef ref) const {
    const core::RankSlot& rank = run->rank(ref.slot);
    const core::RankTrace& trace = rank.trace();
    const auto lane = static_cast<std::uint32_t>(trace.find_lane(ref.event));
    const LayoutRow& row = layout.rows()[layout.find_lane_row(*run, ref.slot, lane)];
    const PixelSpan span = pixel_span(state.time, rank.clock, trace.range(ref.event));
    const RowInset inset = bar_inset(row);
    const bool wide = span.x1 - span.x0 >= static_cast<int>(kWidePx);
    return {{plot.min.x + static_cast<float>(span.x0), row_top(row) + inset.top},
            {plot.min.x + static_cast<float>(wide ? span.x1 - 1 : std::max(span.x1, span.x0 + 1)),
             row_top(row) + inset.bottom}};
}

bool TimelineFrame::fades(core::EventRef ref) const {
    const RankLook& look = looks[ref.slot - first_slot];
    return look.rejected || (look.selection && !look.selection->passes(ref.event));
}

bool TimelineFrame::shows(core::EventRef ref) const {
    const auto lane = static_cast<std::uint32_t>(run->rank(ref.slot).trace().find_lane(ref.event));
    const LayoutRow& row = layout.rows()[layout.find_lane_row(*run, ref.slot, lane)];
    return row.kind == RowKind::Lane && row.item == lane;
}

std::size_t draw_labels(const TimelineFrame& f, const Scene& scene) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    std::size_t drawn = 0;
    const float width = f.plot.width();
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        if (row.kind != RowKind::Lane) continue;
        const RowInset inset = bar_inset(row);
        const float y = f.row_top(row) + std::floor((inset.top + inset.bottom - small_style().size_px) / 2);
        for (const VisibleRect& rect : scene.rects(i)) {
            const float left = std::max(static_cast<float>(rect.x0), 0.0f);
            const float right = std::min(static_cast<float>(rect.x1), width);
            if (right - left < px(kLeastLabelWidth)) continue;
            const Fitted label = fit_label(f.names.label(f.run->rank(row.slot), rect.event), right - left - px(8));
            const std::string_view text = label.cut.empty() ? label.text : label.cut;
            if (text.empty()) continue;
            const ImU32 color = f.fades({row.slot, rect.event}) ? color::kFaint : color::text_on(rect.color);
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
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
        ImGui::IsMouseHoveringRect(f.plot.min, f.plot.max)) {
        list->AddRectFilled({mouse.x, f.plot.min.y}, {mouse.x + 1, f.plot.max.y}, color::rgb(0xFFFFFF, 28));
    }
    if (f.state.hovered.valid() && f.state.hovered != f.state.selected && f.shows(f.state.hovered)) {
        const Box box = f.event_box(f.state.hovered);
        list->AddRectFilled(box.min, box.max, color::rgb(0xFFFFFF, 36));
        draw_outline(f, list, f.state.hovered, color::rgb(0xFFFFFF, 150), 1);
    }
    draw_arrows(f, list);
    draw_outline(f, list, f.state.selected, color::rgb(0xFFFFFF), px(2));
}

void draw_event_tooltip(const TimelineFrame& f, core::EventRef ref) {
    const core::RankSlot& rank = f.run->rank(ref.slot);
    const core::RankTrace& trace = rank.trace();
    const core::RunRange range = event_range(*f.run, ref);
    const core::KernelClass kernel_class = rank.index->classes().of(ref.event);
    const core::Track& track = trace.track_of(ref.event);
    std::string name(trace.name_text(ref.event).substr(0, kLongestTooltipName));
    if (name.size() == kLongestTooltipName) name += "\xE2\x80\xA6";
    const TooltipScope scope;
    ImGui::PushTextWrapPos(px(440));
    text(name);
    ImGui::PopTextWrapPos();
    ImGui::Dummy({px(220), px(2)});
    const core::Duration length = range.length();
    tooltip_line("duration", trace.has(ref.event, core::kInstant) ? "instant" : core::format_duration(length));
    if (length >= core::Duration{1000}) tooltip_line("", core::format_duration_exact(length));
    tooltip_line("start", core::format_time_offset(range.begin - f.run->origin(), core::Duration{1}));
    const std::string_view kind =
        kernel_class == core::KernelClass::None ? trace.category_text(ref.event) : core::name_of(kernel_class);
    if (!kind.empty())
        tooltip_line("class", kind, kernel_class == core::KernelClass::None ? 0 : color::of_class(kernel_class));
    tooltip_line("track", "rank " + core::format_rank(rank.key) + " \xC2\xB7 " + std::string(trace.text(track.name)));
}

void draw_utilisation_tooltip(const TimelineFrame& f, const LayoutRow& row) {
    const core::RankSlot& rank = f.run->rank(row.slot);
    const RankLook& look = f.looks[row.slot - f.first_slot];
    const core::ClassPartition& partition = look.selection ? look.selection->partition() : rank.index->partition();
    const double at = std::floor(static_cast<double>(ImGui::GetIO().MousePos.x - f.plot.min.x));
    const core::RankRange column =
        rank.clock.to_rank(core::RunRange{f.state.time.to_time(at), f.state.time.to_time(at + 1)});
    if (column.empty()) return;
    const core::ClassTimes times = partition.times(column);
    const TooltipScope scope;
    text(format_row_label(*f.run, row));
    ImGui::Dummy({px(220), px(2)});
    const auto line = [&](std::string_view name, core::Duration part, ImU32 swatch) {
        tooltip_line(name,
                     core::format_ratio(static_cast<double>(part.count()) / static_cast<double>(times.total().count())),
                     swatch);
    };
    line("compute", times.compute(), color::kCompute);
    line("communication", times.with(core::KernelClass::Communication), color::kCommunication);
    line("\xE2\x80\xA6 not hidden by compute", times.exposed_communication(), 0);
    line("memory", times.with(core::KernelClass::Memory), color::kMemory);
    line("idle", times.idle(), color::kIdle);
    tooltip_line("of", core::format_duration(times.total()) + " in this pixel");
}

}  // namespace ui
