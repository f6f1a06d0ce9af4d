#include "ui/panels/breakdown_both.hpp"

#include "ui/charts/compared_lines.hpp"
#include "ui/charts/stacked_bars.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/explain.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace ui {
namespace {

constexpr float kBreakdownLine = 18;   // line height of the list, at scale 1
constexpr float kListWidth = 404;
constexpr float kLeastForList = 640;

bool counted(const ComparedRank& rank) {
    return std::ranges::any_of(core::kSides, [&](core::Side side) { return rank.keys[side] && !rank.left_out[side]; });
}

bool any_known(const BreakdownComparison& comparison) {
    return std::ranges::any_of(comparison.ranks, [](const ComparedRank& rank) { return rank.window.known(); });
}

BarRow row_of(const ComparedRank& rank, core::Side side) {
    BarRow row{"rank " + rank.label(), {}, !rank.window.of_side(side), !counted(rank), !rank.keys[side]};
    for (const Compared& part : rank.parts) row.values.push_back(part.of_side(side).value_or(0));
    return row;
}

std::vector<BarRow> rows_of(const BreakdownComparison& comparison, core::Side side) {
    std::vector<BarRow> rows;
    for (const ComparedRank& rank : comparison.ranks) rows.push_back(row_of(rank, side));
    return rows;
}

}  // namespace

ChartNotes breakdown_notes(bool lists) {
    const auto explain = [](std::size_t part) {
        return explain_briefly(*core::find_analysis("temporal-breakdown"), kBreakdownParts[part].column);
    };
    return {explain, lists};
}

RowMeaning meaning_of_breakdown(const Frame& frame, core::RankKey rank, std::optional<std::size_t> part,
                                const core::BySide<std::optional<core::RunRange>>& windows) {
    constexpr std::array kPartClasses{core::KernelClass::Compute, core::KernelClass::Communication,
                                      core::KernelClass::Memory};
    if (part && *part >= kPartClasses.size()) {
        RowMeaning idle;
        idle.unlisted = "Idle time has no events";
        return idle;
    }
    RowFacets facets;
    facets.rank = rank;
    std::string title = "rank " + core::format_rank(rank);
    if (part) facets.classes = core::set_of(kPartClasses[*part]);
    if (part) title.append(" \xC2\xB7 ").append(core::name_of(kPartClasses[*part]));
    RowMeaning meaning = meaning_of_facets(frame, facets, title);
    const bool exposed = part && kPartClasses[*part] != core::KernelClass::Compute;
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

bool BreakdownBoth::draw_time(const ComparedTime& time, std::string_view title, ImU32 swatch, bool clickable,
                              float width) {
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

// Parts and sets of classes, over the ranks in the filter.
void BreakdownBoth::draw_times(Frame& frame, float width) {
    ImGui::BeginChild("sets", {width, 0}, false);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    width -= px(12);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_compared_head(list, at, lay_out_compared(width));
    draw_text(list, small_style(), at, color::palette().faint, "Ranks of the filter");
    ImGui::Dummy({width, px(kBreakdownLine)});
    for (const ComparedTime& part : shown_->parts) {
        const auto known = std::ranges::find(kBreakdownParts, part.name, &BreakdownPart::column);
        const auto index = static_cast<std::size_t>(known - kBreakdownParts.begin());
        const bool is_part = known != kBreakdownParts.end();
        draw_time(part, is_part ? known->title : "Window", is_part ? breakdown_parts()[index].color : 0, false, width);
    }
    const ImVec2 below = ImGui::GetCursorScreenPos();
    draw_text(list, small_style(), {below.x, below.y + px(4)}, color::palette().faint, "Active together");
    ImGui::Dummy({width, px(kBreakdownLine + 4)});
    for (const ComparedTime& set : shown_->sets)
        if (draw_time(set, set.name, color::of_set(set.set), set.set != 0, width))
            frame.intents.push_back(SetFilter{with_class(frame.session.filter(), set.set, click_kind())});
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

void BreakdownBoth::draw_comparison(Frame& frame, const BreakdownChoice& choice) {
    if (!shown_) return;
    if (std::ranges::none_of(shown_->ranks, counted))
        return empty_state("No rank passes the filter", "Loosen the rank term, or press Ctrl+Z.");
    if (!any_known(*shown_))
        return empty_state("No GPU event is shown in either run", "Loosen the filter, or choose Run.");
    {
        const FontScope font(small_style());
        for (const std::string& note : shown_->notes) fitted_text(note, color::palette().faint);
    }
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float list = room.x > px(kLeastForList) ? px(kListWidth) : 0;
    const std::vector<BarRow> baseline = rows_of(*shown_, core::Side::Baseline);
    const std::vector<BarRow> candidate = rows_of(*shown_, core::Side::Candidate);
    const ChartNotes notes = breakdown_notes(choice.lists);
    const StackedBars chart{breakdown_parts(), baseline,           core::Unit::Ns, choice.share,
                            candidate,         choice.highlighted, &notes};
    const BarHit hit = draw_stacked_bars("ranks", chart, {list > 0 ? room.x - list - px(20) : room.x, room.y});
    if (hit.listed && choice.lists) {
        const auto rank = named_rank(frame.session.alignment(), shown_->ranks[*hit.row].keys);
        RowMeaning nameless;
        nameless.unlisted =
            "Cannot filter: the rank has no partner in the baseline, and filters use the baseline's numbers";
        clicks_.open_menu(rank ? meaning_of_breakdown(frame, *rank, hit.part, choice.windows) : nameless);
    }
    if (hit.clicked && hit.row)
        if (const auto rank = named_rank(frame.session.alignment(), shown_->ranks[*hit.row].keys))
            frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), *rank, click_kind())});
    if (list == 0) return;
    ImGui::SameLine(0, px(20));
    draw_times(frame, list);
}

void BreakdownBoth::draw_windows(Frame& frame, const BreakdownChoice& choice) {
    const core::BySide<core::RunPtr> runs{frame.run(), frame.candidate->run()};
    Key key{{runs.baseline, runs.candidate}, choice.filters, {}};
    bool complete = true;
    core::BySide<core::Request> requests;
    for (const core::Side side : core::kSides) {
        key.models[side] =
            BreakdownModel::of_window(runs[side], *choice.windows[side], choice.filters[side], frame.results);
        // Asking for the breakdown also builds the selections that the window needs.
        requests[side] = key.models[side].complete ? core::Request{nullptr, true, 1, {}}
                                                   : ask(frame.of(side), "breakdown", "temporal-breakdown",
                                                         without_rank(choice.filters[side]));
        complete &= key.models[side].complete || !requests[side].error.empty();
    }
    fresh_ = complete;
    if (!complete)
        progress_line((requests.baseline.progress + requests.candidate.progress) / 2, ImGui::GetContentRegionAvail().x);
    if (!shown_ || !(of_windows_ == key)) {
        shown_ = std::make_shared<const BreakdownComparison>(
            BreakdownComparison::of({runs, key.filters, *frame.session.alignment(), key.models, true}));
        of_windows_ = std::move(key);
    }
    draw_comparison(frame, choice);
}

void BreakdownBoth::draw_answers(Frame& frame, const BreakdownChoice& choice) {
    of_windows_ = {};
    core::BySide<core::Request> breakdowns;
    core::BySide<core::Request> types;
    for (const core::Side side : core::kSides) {
        const core::Filter filter = without_rank(choice.filters[side]);
        breakdowns[side] = ask(frame.of(side), "breakdown", "temporal-breakdown", filter);
        types[side] = ask(frame.of(side), "breakdown/types", "kernel-types", filter);
    }
    const auto settled = [](const core::Request& request) { return !request.pending(); };
    bool fresh = true;
    for (const core::Side side : core::kSides) fresh &= settled(breakdowns[side]) && settled(types[side]);
    if (breakdowns.baseline.answer && breakdowns.candidate.answer) {
        const core::BySide<core::RunPtr> runs{frame.run(), frame.candidate->run()};
        Key key{{runs.baseline, runs.candidate}, choice.filters, {}};
        for (const core::Side side : core::kSides)
            key.models[side] = BreakdownModel::of_answers(breakdowns[side].answer->main(),
                                                          types[side].answer ? &types[side].answer->main() : nullptr,
                                                          choice.filters[side]);
        shown_ = derived_.ask(frame.session.pool(), key, [key, runs, alignment = *frame.session.alignment()] {
            return BreakdownComparison::of({runs, key.filters, alignment, key.models, false});
        });
    }
    fresh_ = fresh && derived_.fresh();
    if (!begin_answer(breakdowns, "breakdown", fresh_)) return;
    draw_comparison(frame, choice);
    end_answer();
}

void BreakdownBoth::draw(Frame& frame, const BreakdownChoice& choice) {
    clicks_.poll_search(frame);
    clicks_.draw_menu(frame);
    if (choice.windows.baseline && choice.windows.candidate)
        draw_windows(frame, choice);
    else
        draw_answers(frame, choice);
}

void BreakdownBoth::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    if (!shown_) return;
    shown["notes"] = shown_->notes;
    for (const ComparedRank& rank : shown_->ranks) {
        nlohmann::json& row = shown["ranks"][rank.label()];
        row["in_filter"] = counted(rank);
        for (const core::Side side : core::kSides)
            if (rank.keys[side]) row[std::string(name_of(side)) + "_rank"] = core::format_rank(*rank.keys[side]);
        row["window_ns"] = describe_compared(rank.window);
        for (std::size_t part = 0; part < rank.parts.size(); ++part)
            row[std::string(kBreakdownParts[part].column) + "_ns"] = describe_compared(rank.parts[part]);
    }
    const auto describe = [](const ComparedTime& time) {
        return nlohmann::json{{"time_ns", describe_compared(time.time)}, {"share", describe_compared(time.share)}};
    };
    for (const ComparedTime& part : shown_->parts) shown["parts"][part.name] = describe(part);
    for (const ComparedTime& set : shown_->sets) shown["classes"][set.name] = describe(set);
}

}  // namespace ui
