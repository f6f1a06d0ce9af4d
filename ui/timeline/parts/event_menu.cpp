#include "ui/timeline/parts/event_menu.hpp"

#include "core/base/format.hpp"
#include "core/base/short_name.hpp"
#include "ui/model/row_facets.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr const char* kEventMenu = "event";
constexpr float kEventMenuWidth = 240;  // at scale 1

bool offer(const char* words) {
    if (!selectable(words, false, 0, {px(kEventMenuWidth), 0})) return false;
    ImGui::CloseCurrentPopup();
    return true;
}

void push(TimelineFrame& f, Intent intent) { f.frame.intents.push_back(std::move(intent)); }

// Narrows the filter, which uses the baseline's numbers.
void narrow(TimelineFrame& f, const RowFacets& facets) {
    const core::Result<RowFacets> named = named_by_baseline(facets, f.frame.session.alignment(), f.frame.side);
    if (named) push(f, SetFilter{narrowed_to(f.frame.session.filter(), *named)});
}

}  // namespace

void EventMenu::draw_filters(TimelineFrame& f) {
    const core::RankSlot& rank = f.run->rank(event_.slot);
    const core::RankTrace& trace = rank.trace();
    if (offer("Filter by this name##filter-name")) {
        RowFacets facets;
        facets.name = std::string(trace.name_text(event_.event));
        narrow(f, facets);
    }
    const std::int64_t stream = trace.track_of(event_.event).stream;
    if (stream >= 0 && offer("Only this stream##filter-stream")) {
        RowFacets facets;
        facets.stream = stream;
        narrow(f, facets);
    }
    if (offer("Only this rank##filter-rank")) {
        RowFacets facets;
        facets.rank = rank.key;
        narrow(f, facets);
    }
    if (const core::Step* step = trace.step_of(event_.event); step && offer("Only this step##filter-step")) {
        RowFacets facets;
        facets.step = step->number;
        narrow(f, facets);
    }
}

void EventMenu::draw_ways(TimelineFrame& f) {
    const core::RankTrace& trace = f.run->rank(event_.slot).trace();
    const std::string name(trace.name_text(event_.event));
    if (offer("Next of this name##next")) push(f, GoToOccurrence{core::Occurrence::Next});
    if (offer("Longest of this name##longest")) push(f, GoToOccurrence{core::Occurrence::Longest});
    if (offer("Find all of this name##find")) {
        push(f, SetFindText{name});
        push(f, OpenFind{});
    }
    if (offer("List all of this name##list"))
        push(f, ListEvents{EventListing{.side = f.frame.side,
                                        .title = name,
                                        .narrowing = {},
                                        .names = {name},
                                        .threads_first = !trace.has(event_.event, core::kGpuEvent),
                                        .unsaid = {}}});
    if (f.frame.session.alignment() && offer("Align the runs at this step##align")) push(f, AlignAtStep{});
    if (!f.frame.session.comparing() || f.frame.session.parts()) {
        const core::RankSlot& rank = f.run->rank(event_.slot);
        if (f.run->ranks().size() > 1 && offer("Compare its rank with the median rank##compare-rank"))
            push(f, CompareInside{InsideKind::RankWithMedian, rank.key, {}});
        if (const core::Step* step = trace.step_of(event_.event);
            step && offer("Compare its step with the median step##compare-step"))
            push(f, CompareInside{InsideKind::StepWithMedian, {}, step->number});
    }
    const char* path = f.choices().critical_path ? "Hide the critical path##path" : "Critical path of its rank##path";
    if (offer(path)) push(f, ShowPath{!f.choices().critical_path});
    if (offer("Copy the name##copy")) ImGui::SetClipboardText(name.c_str());
}

void EventMenu::draw_rank(TimelineFrame& f) {
    const core::RankTrace& trace = f.run->rank(event_.slot).trace();
    const std::string row(trace.text(trace.track_of(event_.event).name));
    if (offer("Pin or unpin this row##pin-row")) push(f, ChangeRows{RowChange::PinSelected});
    if (offer("Hide this row##hide-row")) push(f, ChangeRows{RowChange::HideSelected});
    if (f.run->ranks().size() > 1 && offer(("Hide " + row + " of every rank##hide-row-everywhere").c_str()))
        push(f, ChangeRows{RowChange::HideOnEveryRank});
    ImGui::Separator();
    const std::string rank = "rank " + core::format_rank(f.run->rank(event_.slot).key);
    if (offer(("Pin or unpin " + rank + "##pin-rank").c_str())) push(f, ChangeRanks{RankChange::PinSelected});
    if (offer(("Hide " + rank + "##hide-rank").c_str())) push(f, ChangeRanks{RankChange::HideSelected});
    if (offer("Hide all other ranks##hide-others")) push(f, ChangeRanks{RankChange::HideOthers});
}

void EventMenu::draw_entries(TimelineFrame& f) {
    const core::RankTrace& trace = f.run->rank(event_.slot).trace();
    const std::string name = core::short_name(trace.name_text(event_.event)).normal;
    fitted_text(fit_text(ui_style(), name, px(kEventMenuWidth)), color::palette().muted);
    ImGui::Separator();
    draw_filters(f);
    ImGui::Separator();
    draw_ways(f);
    ImGui::Separator();
    draw_rank(f);
}

void EventMenu::draw(TimelineFrame& f) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool still = io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Right] <= px(4) * px(4);
    if (f.ephemeral.hovered.valid() && ImGui::IsMouseReleased(ImGuiMouseButton_Right) && still) {
        event_ = f.ephemeral.hovered;
        of_run_ = f.run->id();
        push(f, SelectEvent{event_, false});
        ImGui::OpenPopup(kEventMenu);
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool shown = ImGui::BeginPopup(kEventMenu);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!shown) return;
    const ItemScope scope("event-menu");
    close_on_escape();
    if (of_run_ == f.run->id() && exists(f.run, event_))
        draw_entries(f);
    else
        ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace ui
