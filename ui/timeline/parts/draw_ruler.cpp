// Draws ticks, grid, step marks and breaks where time is cut out.
#include "ui/timeline/parts/timeline_parts.hpp"

#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"
#include "core/index/summary_rank.hpp"
#include "ui/model/rank_order.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/menu_items.hpp"
#include "ui/style/text.hpp"
#include "ui/timeline/model/ruler.hpp"
#include "ui/timeline/parts/align_menu.hpp"
#include "ui/timeline/parts/tree_row.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ui {
namespace {

constexpr ImU32 kStepLine = color::rgb(0x4C9BE8, 70);
constexpr float kGhostSpacing = 24;  // minimum distance between drawn ghosts at scale 1
constexpr float kDash = 4;
constexpr unsigned kGhostAlpha = 110;
constexpr ImU32 kStepBand = color::rgb(0x4C9BE8, 22);

// The smallest step that leaves room for the widest label.
core::Duration tick_step(const TimelineFrame& f) {
    const TimeView& view = f.view.time;
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

ImU32 ghost_color(const TimelineFrame& f) {
    const ImU32 color = color::of_side(other_side(f.frame.side));
    return color::with_alpha(color, kGhostAlpha);
}

void draw_dashed(ImDrawList* list, float x, float top, float bottom, ImU32 color) {
    for (float y = top; y < bottom; y += px(3 * kDash))
        list->AddRectFilled({x, y}, {x + 1, std::min(y + px(kDash), bottom)}, color);
}

// Rank whose steps are shown: under the pointer, else the selected event's, else the first with steps.
std::optional<std::uint32_t> find_rank_with_steps(const TimelineFrame& f) {
    const auto ranks = f.run->ranks();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (ImGui::IsMouseHoveringRect(f.tree.min, f.plot.max)) {
        const auto row = f.layout.find_row_at(mouse.y - f.plot.min.y + f.scroll_y);
        if (row && has_steps(ranks[f.layout.rows()[*row].slot])) return f.layout.rows()[*row].slot;
    }
    if (f.view.selected.valid() && has_steps(ranks[f.view.selected.slot])) return f.view.selected.slot;
    const auto& parts = f.frame.session.parts();
    const auto is_shown = [&](const core::RankSlot& rank) {
        if (!parts || (*parts)[f.frame.side].ranks.empty()) return has_steps(rank);
        const std::vector<core::RankKey>& keys = (*parts)[f.frame.side].ranks;
        return has_steps(rank) && std::ranges::find(keys, rank.key) != keys.end();
    };
    const auto found = std::ranges::find_if(ranks, is_shown);
    if (found == ranks.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - ranks.begin());
}

// Several windows of a rank in one row share one band of steps.
bool shows_windows_as_one(const TimelineFrame& f) {
    return f.choices().ranks.grouping == kByRank && core::are_windows(*f.run);
}

float draw_steps_of(const TimelineFrame& f, const core::RankSlot& rank, float free_from, ImDrawList* list) {
    const float top = f.ruler.max.y - px(15);
    for (const core::Step& step : rank.trace().steps) {
        const float left = f.x_of(rank.to_run(step.range.begin));
        const float right = f.x_of(rank.to_run(step.range.end));
        if (right < f.ruler.min.x || left > f.ruler.max.x || right - left < 2) continue;
        const float from = std::max(left, f.ruler.min.x);
        list->AddRectFilled({from, top}, {std::min(right, f.ruler.max.x) - 1, f.ruler.max.y - 1}, kStepBand);
        if (left >= f.ruler.min.x) list->AddRectFilled({left, top}, {left + 1, f.ruler.max.y - 1}, kStepLine);
        const std::string label = "step " + std::to_string(step.number);
        const float width = text_width(small_style(), label);
        if (from < free_from || width + px(8) > std::min(right, f.ruler.max.x) - from) continue;
        draw_text(list, small_style(), {from + px(5), top + px(1)}, color::palette().muted, label);
        free_from = from + width + px(8);
    }
    return free_from;
}

void draw_steps(const TimelineFrame& f, ImDrawList* list) {
    const auto slot = find_rank_with_steps(f);
    if (!slot) return;
    const core::RankSlot& rank = f.run->rank(*slot);
    float free_from = f.ruler.min.x;
    if (!shows_windows_as_one(f)) {
        draw_steps_of(f, rank, free_from, list);
        return;
    }
    for (const core::RankSlot& window : f.run->ranks())
        if (window.key.number == rank.key.number) free_from = draw_steps_of(f, window, free_from, list);
}

std::string explain_summary(const core::RunPtr& summary, const std::string& resolution, const core::PagedRun* pages) {
    std::string text = "A run summary: exact to " + resolution + "; collectives are its only single events.";
    if (!summary->parts().pages || !pages) return text;
    text += "\n\nRanks that you zoom into or open are read whole from the " + summary->parts().pages->describe() + ".";
    if (pages->whole() > 0)
        text += " Now " + core::format_plural(pages->whole(), "rank", "ranks") + ", " +
                core::format_bytes(static_cast<std::int64_t>(pages->bytes())) + ".";
    return text + (pages->trouble().empty() ? "" : "\n\nNot whole: " + pages->trouble());
}

// Above the tree: the resolution limit of a run summary, and the ranks that are whole.
void draw_summary_note(const TimelineFrame& f, ImDrawList* list) {
    const core::RunPtr& summary = f.run->summary() ? f.run->summary() : f.run;
    if (summary->ranks().empty() || !core::summary_of(summary->rank(0).trace())) return;
    const std::string resolution = core::format_resolution(*summary->summary_resolution());
    const core::PagedRun* const pages = f.frame.session.pages(f.frame.side);
    const bool trouble = pages && !pages->trouble().empty();
    const std::string brief = "summary: " + resolution;
    std::string words = brief;
    if (pages && pages->loading())
        words += " \xC2\xB7 reading ranks";
    else if (trouble)
        words += " \xC2\xB7 not whole";
    else if (pages && pages->whole() > 0)
        words += " \xC2\xB7 " + core::format_count(static_cast<std::int64_t>(pages->whole())) + " whole";
    float width = text_width(small_style(), words);
    if (width > f.corner.width() - px(16)) width = text_width(small_style(), words = brief);
    const ImVec2 min{f.corner.max.x - px(8) - width, f.corner.min.y + px(29)};
    if (min.x < f.corner.min.x + px(8)) return;
    const ImVec2 max{min.x + width, min.y + small_style().size_px};
    draw_text(list, small_style(), min, trouble ? color::palette().warning : color::palette().muted, words);
    const bool hovered = ImGui::IsMouseHoveringRect(min, max);
    record_rect("summary-note", min, max, hovered);
    if (hovered) show_tooltip(explain_summary(summary, resolution, pages));
}

// Left of the band of steps: the rank that the steps belong to.
void draw_steps_title(const TimelineFrame& f, ImDrawList* list) {
    if (f.choices().series_lanes) return;  // SeriesLanes has its title there
    const auto slot = find_rank_with_steps(f);
    const float room = f.corner.width() - px(8) - px(2 * kTreeNumberWidth + 24);
    if (!slot || room <= 0 || f.run->ranks().size() < 2) return;
    const core::RankKey key = f.run->rank(*slot).key;
    const std::string title =
        "steps of rank " + (shows_windows_as_one(f) ? std::to_string(key.number) : core::format_rank(key));
    if (text_width(small_style(), title) > room) return;
    const float y = f.corner.max.y - small_style().size_px - px(5);
    draw_text(list, small_style(), {f.corner.min.x + px(8), y}, color::palette().faint, title);
    record_rect("steps-of", {f.corner.min.x, y}, {f.corner.min.x + room, f.corner.max.y}, false);
}

std::string pointer_label(const TimelineFrame& f) {
    const core::RunTime t = f.view.time.to_time(static_cast<double>(ImGui::GetIO().MousePos.x - f.plot.min.x));
    const core::Duration pixel{static_cast<std::int64_t>(std::max(1.0, f.view.time.ns_per_px()))};
    return core::format_time_offset(t - f.zero(), pixel);
}

// Box of the time at the pointer; empty if the pointer is elsewhere.
Box find_pointer_chip(const TimelineFrame& f) {
    if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) ||
        !ImGui::IsMouseHoveringRect(f.plot.min, f.plot.max))
        return {};
    const float width = text_width(small_style(), pointer_label(f)) + px(12);
    const float x = std::floor(std::clamp(ImGui::GetIO().MousePos.x - width / 2, f.ruler.min.x,
                                          std::max(f.ruler.min.x, f.ruler.max.x - width)));
    return {{x, f.ruler.min.y + px(1)}, {x + width, f.ruler.min.y + px(18)}};
}

// Draws the area's length next to the steps, where it covers no event.
void draw_area_length(const TimelineFrame& f, ImDrawList* list) {
    if (!f.view.area) return;
    const float left = std::max(f.x_of(f.view.area->begin), f.ruler.min.x);
    const float right = std::min(f.x_of(f.view.area->end), f.ruler.max.x);
    const float top = f.ruler.max.y - px(17);
    const float bottom = f.ruler.max.y - 1;
    if (right >= left) list->AddRectFilled({left, top}, {std::max(right, left + 1), bottom}, color::rgb(0x4C9BE8, 90));
    const std::string length = core::format_duration(f.view.area->length());
    const float width = text_width(small_style(), length) + px(12);
    const float x = std::floor(
        std::clamp((left + right - width) / 2, f.ruler.min.x, std::max(f.ruler.min.x, f.ruler.max.x - width)));
    list->AddRectFilled({x, top}, {x + width, bottom}, color::palette().accent, px(3));
    draw_text(list, small_style(), {x + px(6), top + px(2)}, color::text_on(color::palette().accent), length);
}

std::optional<std::int64_t> find_own_step(const core::Run& run, core::RunTime moment) {
    for (const core::RankSlot& rank : run.ranks())
        for (const core::Step& step : rank.trace().steps)
            if (rank.to_run(step.range.begin) <= moment && moment < rank.to_run(step.range.end)) return step.number;
    return std::nullopt;
}

constexpr float kBreakWidth = 4;  // sizes at scale 1
constexpr float kBreakReach = 10;  // distance of the pointer that shows the tooltip

bool is_in_plot(const TimelineFrame& f, float x) { return x > f.plot.min.x && x < f.plot.max.x; }

// Two slanted strokes, the usual sign of a broken axis.
void draw_break(ImDrawList* list, ImVec2 at, float height, ImU32 color) {
    const float slant = px(kBreakWidth);
    for (const float left : {-px(2), px(2)})
        list->AddLine({at.x + left - slant / 2, at.y + height}, {at.x + left + slant / 2, at.y}, color,
                      std::max(1.0f, px(1.5f)));
}

}  // namespace

void draw_step_lines(const TimelineFrame& f) {
    const auto slot = find_rank_with_steps(f);
    if (!slot) return;
    float top = f.plot.max.y;
    float bottom = f.plot.min.y;
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        if (row.slot != *slot || is_heading(row)) continue;
        top = std::min(top, f.row_top(row));
        bottom = std::max(bottom, f.row_top(row) + row.height);
    }
    if (top >= bottom) return;  // its group is folded
    float free_from = f.plot.min.x;
    for (const core::Step& step : f.run->rank(*slot).trace().steps) {
        for (const core::RankTime t : {step.range.begin, step.range.end}) {
            const float x = f.x_of(f.run->rank(*slot).to_run(t));
            if (x < free_from || x >= f.plot.max.x) continue;
            ImGui::GetWindowDrawList()->AddRectFilled({x, top}, {x + 1, bottom}, kStepLine);
            free_from = x + px(4);
        }
    }
}

void draw_grid(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const Tick& tick : collect_ticks(f.view.time, f.zero(), tick_step(f))) {
        const float x = f.plot.min.x + tick.px;
        if (tick.px >= 0) fill(list, {x, f.plot.min.y}, {x + 1, f.plot.max.y}, color::palette().plot_grid);
    }
}

// The partner of the rank whose steps are shown, else the first with steps.
const core::RankSlot* find_ghost_rank(const TimelineFrame& f, const core::Run& other) {
    const core::Side side = f.frame.side;
    const std::optional<std::uint32_t> shown = find_rank_with_steps(f);
    const core::RunAlignment& alignment = *f.frame.session.alignment();
    if (const auto partner = shown ? alignment.partner_of_rank(side, f.run->rank(*shown).key) : std::nullopt) {
        const auto found = std::ranges::find(other.ranks(), *partner, &core::RankSlot::key);
        if (found != other.ranks().end() && has_steps(*found)) return &*found;
    }
    const auto any = std::ranges::find_if(other.ranks(), has_steps);
    return any == other.ranks().end() ? nullptr : &*any;
}

std::vector<GhostStep> collect_ghost_steps(const TimelineFrame& f) {
    std::vector<GhostStep> ghosts;
    const core::RunAlignment* alignment = f.frame.session.alignment();
    if (!alignment || !f.choices().ghost_steps) return ghosts;
    const core::Side other = other_side(f.frame.side);
    const core::RankSlot* rank = find_ghost_rank(f, *f.frame.session.run(other));
    if (rank == nullptr) return ghosts;
    float free_from = f.plot.min.x;
    for (const core::Step& step : rank->trace().steps) {
        const core::RunTime begin = alignment->across(other, rank->to_run(step.range.begin));
        const float x = f.x_of(begin);
        if (x < free_from || x >= f.plot.max.x) continue;
        ghosts.push_back({step.number, begin});
        free_from = x + px(kGhostSpacing);
    }
    return ghosts;
}

// Lines to the last row, with heads at the upper edge, where they cover no label.
void draw_ghost_lines(const TimelineFrame& f, std::span<const GhostStep> ghosts) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float top = f.plot.min.y;
    const float bottom = std::min(f.plot.max.y, top + f.layout.height() - f.scroll_y);
    for (const GhostStep& ghost : ghosts) {
        const float x = f.x_of(ghost.begin);
        draw_dashed(list, x, top, bottom, ghost_color(f));
        list->AddTriangleFilled({x - px(3), top}, {x + px(4), top}, {x + 0.5f, top + px(5)},
                                color::of_side(other_side(f.frame.side)));
    }
}

// Names the step of the ghost under the pointer on the ruler.
void draw_ghost_tooltip(const TimelineFrame& f, std::span<const GhostStep> ghosts) {
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(f.ruler.min, f.ruler.max)) return;
    for (const GhostStep& ghost : ghosts) {
        if (std::fabs(ImGui::GetIO().MousePos.x - f.x_of(ghost.begin)) > px(4)) continue;
        const std::string_view other = core::name_of(other_side(f.frame.side));
        ImGui::SetTooltip("Step %s of the %.*s begins here", std::to_string(ghost.number).c_str(),
                          static_cast<int>(other.size()), other.data());
    }
}

void RulerMenu::draw_alone(TimelineFrame& f) {
    const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(f.ruler.min, f.ruler.max);
    if (over && !ImGui::IsAnyItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {  // flags have menus
        const double at = static_cast<double>(ImGui::GetIO().MousePos.x - f.plot.min.x);
        own_step_ = find_own_step(*f.run, f.view.time.to_time(at));
        if (own_step_) ImGui::OpenPopup("step");
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup("step");
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!shown) return;
    const ItemScope scope("step-menu");
    close_on_escape();
    const std::string words = "Compare step " + std::to_string(own_step_.value_or(0)) + " with the median step";
    if (menu_item(words.c_str())) f.frame.intents.push_back(CompareInside{InsideKind::StepWithMedian, {}, own_step_});
    record_item("##compare-step");
    ImGui::EndPopup();
}

void RulerMenu::draw(TimelineFrame& f) {
    const core::RunAlignment* alignment = f.frame.session.alignment();
    if (!alignment) return draw_alone(f);
    ImGui::SetCursorScreenPos(f.ruler.min);
    const bool clicked =
        invisible_button("##ruler", {f.ruler.width(), f.ruler.height()}, ImGuiButtonFlags_MouseButtonRight);
    record_item("##ruler");
    if (clicked) {
        const double at = static_cast<double>(ImGui::GetIO().MousePos.x - f.plot.min.x);
        step_ = find_step_at(*alignment, f.frame.side, f.view.time.to_time(at));
        ImGui::OpenPopup("align");
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup("align");
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!shown) return;
    const ItemScope scope("align");
    close_on_escape();
    draw_align_menu(f.frame, step_);
    ImGui::EndPopup();
}

void draw_ruler(const TimelineFrame& f, std::span<const GhostStep> ghosts) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(f.ruler.min, f.ruler.max, true);
    const Box chip = find_pointer_chip(f);
    const float labels_end = f.ruler.max.x;
    const core::Duration step = tick_step(f);
    for (const Tick& tick : collect_ticks(f.view.time, f.zero(), step)) {
        const float x = f.ruler.min.x + tick.px;
        list->AddRectFilled({x, f.ruler.min.y + px(4)}, {x + 1, f.ruler.min.y + px(17)}, color::palette().line);
        const std::string label = core::format_time_offset(tick.offset, step);
        const float right = x + px(8) + text_width(small_style(), label);
        const bool under_chip = chip.width() > 0 && x < chip.max.x && right > chip.min.x;
        // A cut label could be read as another time.
        if (!under_chip && right <= labels_end)
            draw_text(list, small_style(), {x + px(5), f.ruler.min.y + px(3)}, color::palette().muted, label);
    }
    draw_steps(f, list);
    draw_ghost_tooltip(f, ghosts);
    draw_area_length(f, list);
    if (chip.width() > 0) {
        list->AddRectFilled(chip.min, chip.max, color::palette().line, px(3));
        draw_text(list, small_style(), {chip.min.x + px(6), f.ruler.min.y + px(3)}, color::palette().text,
                  pointer_label(f));
    }
    list->PopClipRect();
    draw_steps_title(f, list);
    draw_summary_note(f, list);
}

void draw_cut_lines(const TimelineFrame& f) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const core::CutGap& gap : f.frame.session.cut_gaps_of(f.frame.side)) {
        const float x = f.x_of(gap.at);
        if (!is_in_plot(f, x)) continue;
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
        if (!is_in_plot(f, x)) continue;
        const std::string words = core::format_duration(gap.length) + " cut";
        const float width = text_width(small_style(), words);
        const bool is_left = x + px(kBreakReach) + width > f.ruler.max.x;
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
                         " between two captures is cut from this axis: everything to the right is that much later.\n"
                         "Click: show that time.");
        if (clicked) f.frame.intents.push_back(CutGaps{false});
    }
}

}  // namespace ui
