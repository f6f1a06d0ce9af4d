#include "ui/panels/breakdown_parts.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/charts/axis.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/explainer.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <array>

namespace ui {
namespace {

constexpr float kBreakdownLine = 18;   // line height of the list for two runs, at scale 1
constexpr float kSetLine = 22;         // the same for one run

// Draws a line of the list; true if it was clicked.
bool draw_time(const PairedTime& time, std::string_view title, ImU32 swatch, bool clickable, float width) {
    const float pitch = px(kBreakdownLine);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string item = "##part:" + time.name;
    bool clicked = false;
    bool hovered = false;
    if (clickable) {
        clicked = invisible_button(item.c_str(), {width, pitch});
        record_item(item);
        hovered = ImGui::IsItemHovered();
        if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    } else {
        ImGui::Dummy({width, pitch});
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ComparedColumns columns = lay_out_compared(width);
    const float side = px(9);
    const float text_y = at.y + std::floor((pitch - small_style().size_px) / 2) - px(1);
    if (swatch != 0) draw_rect(list, {at.x, at.y + px(4)}, {at.x + side, at.y + px(4) + side}, swatch, px(2));
    draw_text(list, small_style(), {at.x + px(15), text_y}, hovered ? color::palette().text : color::palette().muted,
              title, columns.label - px(15));
    draw_compared(list, {at.x, text_y}, columns, time.time, core::Unit::Ns);
    if (ImGui::IsItemHovered()) {
        ImGui::BeginTooltip();
        heading(title);
        compared_tooltip_head();
        compared_tooltip_line("Time", time.time, core::Unit::Ns);
        compared_tooltip_line("Share of the windows", time.share, core::Unit::Ratio);
        ImGui::EndTooltip();
    }
    return clicked;
}

// "rank 5", "rank 5 | rank 3".
std::string name_slowest(const BreakdownModel& model) {
    std::string words;
    for (const core::Side side : core::kSides) {
        if (!model.slowest[side]) continue;
        const std::string rank = "rank " + core::format_rank(*model.slowest[side]);
        if (words != rank) words += (words.empty() ? "" : " | ") + rank;
    }
    return words;
}

// "Mean of 8 ranks", "Mean of 8 | 4 ranks".
std::string head_of_means(const BreakdownModel& model) {
    const core::RankCount baseline = model.counted.baseline, candidate = model.counted.candidate;
    const bool is_plain = baseline.captures == baseline.ranks && candidate.captures == candidate.ranks;
    if (model.compared && baseline != candidate)
        return "Mean of " +
               (is_plain ? core::format_count(std::uint64_t{baseline.ranks}) : core::format_rank_count(baseline)) +
               " | " + core::format_rank_count(candidate);
    const core::RankCount ranks = baseline.captures >= candidate.captures ? baseline : candidate;
    return ranks.captures == 1 ? "One rank" : "Mean of " + core::format_rank_count(ranks);
}

// States what the times below are; only with several ranks.
void draw_statistic(const BreakdownModel& model, BreakdownOf& of) {
    if (std::max(model.counted.baseline.captures, model.counted.candidate.captures) < 2) return;
    const FontScope font(small_style());
    int chosen = of == BreakdownOf::Mean ? 0 : 1;
    const std::string mean = head_of_means(model);
    if (choose("over-ranks", {mean.c_str(), "Slowest rank"}, chosen))
        of = chosen == 0 ? BreakdownOf::Mean : BreakdownOf::Slowest;
    tooltip("The slowest rank is the one with the longest window from its first to its last GPU event.");
    ImGui::Dummy({0, px(2)});
}

// "mean of 8 ranks", "rank 5, the slowest".
std::string words_of_statistic(const BreakdownModel& model) {
    const std::string slowest = name_slowest(model);
    if (!slowest.empty()) return slowest + ", the slowest";
    std::string of = head_of_means(model);
    of.front() = static_cast<char>(of.front() + ('a' - 'A'));
    return of;
}

// Parts and sets of both runs with their changes.
void draw_compared_times(Frame& frame, const BreakdownModel& model, float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_compared_head(list, at, lay_out_compared(width));
    draw_text(list, small_style(), at, color::palette().faint, words_of_statistic(model), width);
    ImGui::Dummy({width, px(kBreakdownLine)});
    for (const PairedTime& part : model.parts) {
        const auto known = std::ranges::find(kBreakdownParts, part.name, &BreakdownPart::column);
        const auto index = static_cast<std::size_t>(known - kBreakdownParts.begin());
        const bool is_part = known != kBreakdownParts.end();
        draw_time(part, is_part ? known->title : "Window", is_part ? breakdown_parts()[index].color : 0, false, width);
    }
    const ImVec2 below = ImGui::GetCursorScreenPos();
    draw_text(list, small_style(), {below.x, below.y + px(4)}, color::palette().faint, "Combinations of classes");
    ImGui::Dummy({width, px(kBreakdownLine + 4)});
    for (const PairedTime& set : model.sets)
        if (draw_time(set, set.name, color::of_set(set.set), set.set != 0, width))
            frame.intents.push_back(SetFilter{with_class(frame.session.filter(), set.set, click_kind())});
}

// Draws a row of the list of sets; true if it was clicked.
bool draw_set_of_one(const PairedTime& set, float width) {
    const float pitch = px(kSetLine);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(set.set));
    const bool clicked = invisible_button("set", {width, pitch}) && set.set != 0;
    record_item("##set:" + set.name);
    const bool hovered = ImGui::IsItemHovered() && set.set != 0;
    ImGui::PopID();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float side = px(9);
    const float text_y = at.y + (pitch - ui_style().size_px) / 2 - px(1);
    draw_rect(list, {at.x, at.y + px(6)}, {at.x + side, at.y + px(6) + side}, color::of_set(set.set), px(2));
    const float value = px(74);
    draw_text(list, ui_style(), {at.x + px(16), text_y}, hovered ? color::palette().text : color::palette().muted,
              set.name, width - px(16) - value - px(64));
    draw_text_right(list, mono_style(), {at.x + width - value, text_y}, color::palette().text,
                    core::format_value(*set.share.baseline, core::Unit::Ratio));
    draw_text_right(list, mono_style(), {at.x + width, text_y}, color::palette().muted,
                    core::format_value(*set.time.baseline, core::Unit::Ns));
    return clicked;
}

void draw_sets_of_one(Frame& frame, const BreakdownModel& model, float width) {
    {
        const FontScope font(small_style());
        fitted_text("Combinations of classes, " + words_of_statistic(model), color::palette().faint);
        record_item("##sets-head");
    }
    ImGui::Dummy({0, px(4)});
    for (const PairedTime& set : model.sets)
        if (draw_set_of_one(set, width))
            frame.intents.push_back(SetFilter{with_class(frame.session.filter(), set.set, click_kind())});
}

}  // namespace

std::span<const BarPart> breakdown_parts() {
    static std::vector<BarPart> parts{{.name = std::string(kBreakdownParts[0].title), .color = 0, .clickable = true},
                                      {.name = std::string(kBreakdownParts[1].title), .color = 0, .clickable = true},
                                      {.name = std::string(kBreakdownParts[2].title), .color = 0, .clickable = true},
                                      {.name = std::string(kBreakdownParts[3].title), .color = 0}};
    // from the current theme
    const std::array colors{color::palette().compute, color::palette().communication, color::palette().memory,
                            color::palette().idle};
    for (std::size_t i = 0; i < colors.size(); ++i) parts[i].color = colors[i];
    return parts;
}

ChartNotes breakdown_notes(bool lists) {
    const auto explain = [](std::size_t part) {
        return explain_briefly(*core::find_analysis("temporal-breakdown"), kBreakdownParts[part].column);
    };
    return {explain, lists};
}

RowMeaning meaning_of_breakdown(const Frame& frame, core::RankKey rank, std::optional<std::size_t> part,
                                const core::BySide<std::optional<core::RunRange>>& windows) {
    constexpr std::array kEventClasses{core::KernelClass::Compute, core::KernelClass::Communication,
                                       core::KernelClass::Memory};
    if (part && *part >= kEventClasses.size()) {
        RowMeaning idle;
        idle.unlisted = "Idle time has no events";
        return idle;
    }
    RowFacets facets;
    facets.rank = rank;
    std::string title = "rank " + core::format_rank(rank);
    if (part) facets.classes = core::set_of(kEventClasses[*part]);
    if (part) title.append(" \xC2\xB7 ").append(core::name_of(kEventClasses[*part]));
    RowMeaning meaning = meaning_of_facets(frame, facets, title);
    const bool exposed = part && kEventClasses[*part] != core::KernelClass::Compute;
    for (const core::Side side : core::kSides) {
        std::optional<EventListing>& listing = meaning.listings[side];
        if (listing && exposed) listing->unsaid = "what is exposed";
        std::optional<core::RunRange> shown = windows[side];
        const core::RunPtr& run = frame.session.run(side);
        if (!shown || !run) continue;
        if (const auto time = frame.session.filter(side).time_range(*run))
            shown = core::RunRange{std::max(shown->begin, time->begin), std::min(shown->end, time->end)};
        meaning.time[side] = frame.session.time_term(side, *shown);
        if (listing) listing->narrowing.terms.push_back({false, *meaning.time[side]});
    }
    return meaning;
}

void draw_breakdown_times(Frame& frame, const BreakdownModel& model, BreakdownOf& of, float width) {
    ImGui::BeginChild("sets", {width, 0}, false);
    draw_statistic(model, of);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    if (model.compared)
        draw_compared_times(frame, model, width - px(12));
    else
        draw_sets_of_one(frame, model, width - px(12));
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

}  // namespace ui
