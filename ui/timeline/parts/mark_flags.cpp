#include "ui/timeline/parts/mark_flags.hpp"

#include "core/base/format.hpp"
#include "ui/commands/key_map.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kFlagHeight = 16;   // sizes at scale 1
constexpr float kWidestFlag = 180;
constexpr unsigned kKeptAlpha = 200;
constexpr unsigned kPassingAlpha = 130;
constexpr unsigned kFillAlpha = 18;

ImU32 mark_color(bool kept) { return color::with_alpha(color::palette().mark, kept ? kKeptAlpha : kPassingAlpha); }

bool is_in_view(const TimelineFrame& f, core::RunRange range) {
    const core::RunRange view = f.view.time.range();
    return range.end >= view.begin && range.begin <= view.end;
}

void draw_borders(const TimelineFrame& f, core::RunRange range, bool kept) {
    if (!is_in_view(f, range)) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = f.x_of(range.begin);
    const float right = std::max(f.x_of(range.end), left + 1);
    const ImU32 color = mark_color(kept);
    list->AddRectFilled({left, f.plot.min.y}, {right, f.plot.max.y},
                        color::with_alpha(color::palette().mark, kFillAlpha));
    for (const float x : {left, right - 1})
        if (x >= f.plot.min.x && x < f.plot.max.x) list->AddRectFilled({x, f.plot.min.y}, {x + 1, f.plot.max.y}, color);
}

void draw_overview_tick(const TimelineFrame& f, core::RunRange range, bool kept) {
    const core::RunRange bounds = f.bounds();
    if (bounds.empty()) return;
    const double share =
        static_cast<double>((range.begin - bounds.begin).count()) / static_cast<double>(bounds.length().count());
    if (share < 0 || share > 1) return;
    const float x = std::floor(f.overview.min.x + static_cast<float>(share) * f.overview.width());
    ImGui::GetWindowDrawList()->AddRectFilled({x, f.overview.min.y}, {x + px(2), f.overview.max.y}, mark_color(kept));
}

void draw_flag_tooltip(const TimelineFrame& f, const core::Marks& marks, core::RunRange range, std::size_t index,
                       bool kept) {
    ImGui::BeginTooltip();
    if (kept && !marks.kept[index].note.text.empty()) {
        text(marks.kept[index].note.text);
        if (const std::string by = format_signature(marks.kept[index].note); !by.empty())
            text(by, color::palette().muted);
    }
    tooltip_line("at", core::format_time_offset(range.begin - f.zero(), core::Duration{1}));
    tooltip_line("length", core::format_duration(range.length()));
    const std::optional<core::Duration> since = kept ? since_previous(marks, index) : std::nullopt;
    if (since) tooltip_line("after mark " + std::to_string(index), core::format_duration(*since));
    muted_text(kept ? "Click: show it. Right click: note, remove."
                    : "Click: show it. " + key_map().format("keep-mark") + " keeps it.");
    ImGui::EndTooltip();
}

}  // namespace

void MarkFlags::draw_lines(const TimelineFrame& f) const {
    const core::Marks& marks = f.frame.marks();
    for (const core::KeptMark& mark : marks.kept) draw_borders(f, mark.range, true);
    if (marks.passing) draw_borders(f, *marks.passing, false);
}

void MarkFlags::draw_flag(TimelineFrame& f, const Flag& flag, std::size_t index) {
    if (!is_in_view(f, flag.range)) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float wanted = text_width(small_style(), flag.label) + px(10);
    const float width = std::min({wanted, px(kWidestFlag), f.ruler.width()});
    // At the mark's begin, or at the left edge if the begin is left of the view.
    const float x = std::clamp(f.x_of(flag.range.begin), f.ruler.min.x, std::max(f.ruler.min.x, f.ruler.max.x - 2));
    const ImVec2 min{x, f.ruler.min.y + 1};
    const ImVec2 max{std::min(x + width, f.ruler.max.x), min.y + px(kFlagHeight)};
    if (max.x <= min.x) return;
    const ImU32 color = color::mix(color::palette().panel, color::palette().mark, flag.kept ? 0.8f : 0.5f);
    list->AddRectFilled(min, max, color, px(2));
    draw_text(list, small_style(), {min.x + px(5), min.y + px(1)}, color::text_on(color), flag.label,
              max.x - min.x - px(8));
    ImGui::SetCursorScreenPos(min);
    const bool clicked = invisible_button(flag.id.c_str(), {max.x - min.x, max.y - min.y},
                                          ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
    record_item(flag.id);
    if (ImGui::IsItemHovered()) draw_flag_tooltip(f, f.frame.marks(), flag.range, index, flag.kept);
    if (!clicked) return;
    if (ImGui::IsMouseReleased(1)) {
        if (!flag.kept) return;
        edited_ = index;
        note_ = f.frame.marks().kept[index].note.text;
        ImGui::OpenPopup("mark");
    } else {
        f.frame.intents.push_back(ShowRange{range_to_show(flag.range)});
    }
}

void MarkFlags::draw_menu(TimelineFrame& f) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup("mark");
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!shown) return;
    const ItemScope scope("mark");
    close_on_escape();
    core::Marks marks = f.frame.marks();
    if (edited_ >= marks.kept.size()) {
        ImGui::CloseCurrentPopup();
    } else {
        muted_text("Mark " + std::to_string(edited_ + 1));
        if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
        if (input_text("##note", "Note", note_, px(260), ImGuiInputTextFlags_EnterReturnsTrue))
            ImGui::CloseCurrentPopup();
        marks.kept[edited_].note.text = note_;
        if (selectable("Remove the mark", false)) remove_mark(marks, edited_);
        // An intent for each keystroke; the history merges typing into one undo step.
        if (!(marks == f.frame.marks())) f.frame.intents.push_back(SetMarks{std::move(marks)});
    }
    ImGui::EndPopup();
}

void MarkFlags::draw(TimelineFrame& f) {
    const core::Marks& marks = f.frame.marks();
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i < marks.kept.size(); ++i) draw_overview_tick(f, marks.kept[i].range, true);
    if (marks.passing) draw_overview_tick(f, *marks.passing, false);
    list->PushClipRect(f.ruler.min, f.ruler.max, true);
    if (marks.passing)
        draw_flag(f,
                  {.range = *marks.passing,
                   .label = format_mark(*marks.passing, f.zero()),
                   .id = "##flag:passing",
                   .kept = false},
                  0);
    for (std::size_t i = 0; i < marks.kept.size(); ++i) {
        const core::KeptMark& mark = marks.kept[i];
        const std::string number = std::to_string(i + 1);
        const std::string what = mark.note.text.empty() ? format_mark(mark.range, f.zero()) : mark.note.text;
        draw_flag(f, {.range = mark.range, .label = number + "  " + what, .id = "##flag:" + number, .kept = true}, i);
    }
    list->PopClipRect();
    draw_menu(f);
}

}  // namespace ui
