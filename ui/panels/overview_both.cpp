#include "ui/panels/overview_both.hpp"

#include "ui/charts/compared_lines.hpp"
#include "ui/charts/strip_plot.hpp"
#include "ui/model/charts/axis.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/panels/breakdown_parts.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/explain.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"
#include "core/diff/statistics_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kOverviewLine = 17;   // at scale 1
constexpr float kMostWidth = 620;  // wider lists would separate numbers from their labels

float list_width() { return std::min(ImGui::GetContentRegionAvail().x, px(kMostWidth)); }

std::string name_with(std::string_view name, core::Side side) {
    return side == core::Side::Baseline ? std::string(name) : "candidate-" + std::string(name);
}

// Of runs with steps the sentence of the command line.
std::string verdict(const OverviewComparison& both) {
    if (both.has_steps()) return core::describe_step(both.step);
    const Compared& time = both.headline();
    const std::string what = both.median_step.known() ? "the median step" : "a rank's window";
    if (!time.known()) return "Neither run has steps or GPU work";
    if (!time.change)
        return "Only the " + std::string(name_of(time.baseline ? core::Side::Baseline : core::Side::Candidate)) +
               " has " + (both.median_step.known() ? "steps" : "GPU work");
    const std::string from_to =
        format_value(*time.baseline, core::Unit::Ns) + " \xE2\x86\x92 " + format_value(*time.candidate, core::Unit::Ns);
    const int sign = noticeable_change(time);
    const std::string ratio = time.ratio && *time.ratio > 2 ? format_ratio_change(time)
                                                            : core::format_ratio(std::abs(time.ratio.value_or(1) - 1));
    if (sign == 0) return "As fast: " + what + " " + from_to;
    return "Candidate " + ratio + (sign > 0 ? " slower: " : " faster: ") + what + " " + from_to;
}

// What changed most in the direction of the total, and on which rank.
std::string where(const OverviewComparison& both) {
    if (noticeable_change(both.headline()) == 0) return "";
    std::string text;
    if (both.part_changed_most) {
        const std::size_t part = *both.part_changed_most;
        text = "most of it " + std::string(kBreakdownParts[part].title) + ", " +
               format_change(both.parts[part], core::Unit::Ns) + (both.per_step ? " per step" : "");
        text[text.find(kBreakdownParts[part].title)] =
            static_cast<char>(std::tolower(static_cast<unsigned char>(kBreakdownParts[part].title[0])));
    }
    if (both.rank_changed_most && both.sides.baseline.ranks > 1)
        text += (text.empty() ? "" : "; ") + ("most on rank " + label_of(both.rank_changed_most->rank)) + ", " +
                format_change(both.rank_changed_most->median_step, core::Unit::Ns);
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string facts(const OverviewModel& model) {
    return describe_ranks(model) + "  \xC2\xB7  " + describe_steps(model.steps);
}

// Draws a line of the list; set if its first or second half was clicked.
struct HalvesHit {
    std::optional<core::Side> clicked;
};

float halves_begin(float width) { return lay_out_compared(width).label; }

HalvesHit draw_halves(std::string_view label, std::string_view item, const core::BySide<std::string>& words,
                      std::string_view hint) {
    HalvesHit hit;
    const float width = list_width();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = std::min(halves_begin(width), px(150));
    const float half = std::floor((width - left) / 2);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, small_style(), {at.x, at.y + px(2)}, color::palette().muted, label, left - px(8));
    for (const core::Side side : core::kSides) {
        const float x = left + (side == core::Side::Candidate ? half : 0);
        bool hovered = false;
        if (!item.empty() && !words[side].empty()) {
            const std::string id = "##" + name_with(item, side);
            ImGui::SetCursorScreenPos({at.x + x, at.y});
            if (invisible_button(id.c_str(), {half, px(kOverviewLine)})) hit.clicked = side;
            record_item(id);
            hovered = ImGui::IsItemHovered();
            if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            tooltip(words[side] + "\n" + std::string(hint));
        }
        draw_rect(list, {at.x + x, at.y + px(4)}, {at.x + x + px(2), at.y + px(14)}, color::of_side(side));
        draw_text(list, small_style(), {at.x + x + px(8), at.y + px(2)},
                  hovered ? color::palette().text : color::palette().muted,
                  words[side].empty() ? "\xE2\x80\x93" : std::string_view(words[side]), half - px(12));
    }
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, px(kOverviewLine)});
    return hit;
}

void draw_number(std::string_view label, const Compared& value, ImU32 swatch, const std::string& hint) {
    const float width = list_width();
    const ComparedColumns columns = lay_out_compared(width);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float indent = swatch != 0 ? px(15) : 0;
    if (swatch != 0) draw_rect(list, {at.x, at.y + px(4)}, {at.x + px(9), at.y + px(13)}, swatch, px(2));
    draw_text(list, small_style(), {at.x + indent, at.y + px(2)}, color::palette().muted, label,
              columns.label - indent);
    draw_compared(list, {at.x, at.y + px(1)}, columns, value, core::Unit::Ns);
    ImGui::Dummy({width, px(kOverviewLine)});
    if (!hint.empty()) tooltip(hint);
}

std::string worst_rank_text(const OverviewModel& model) {
    if (!model.worst_rank) return "";
    const WorstRank& worst = *model.worst_rank;
    if (worst.waited_ns > 0)
        return "rank " + core::format_rank(worst.rank) + ", others wait " +
               core::format_duration(core::Duration{worst.waited_ns});
    return "rank " + core::format_rank(worst.rank) +
           (worst.by_step_time ? ", step +" + core::format_ratio(worst.over)
                               : ", " + core::format_ratio(worst.idle_share) + " idle");
}

std::string worst_step_text(const OverviewModel& model) {
    if (model.steps.all.points.empty()) return "";
    const StepTime& step = model.steps.slowest[model.steps.over_steps.at_greatest];
    return "step " + std::to_string(step.step) + ", rank " + core::format_rank(step.rank) + ", " +
           format_value(step.duration, core::Unit::Ns);
}

std::string part_hint(const OverviewComparison& both, std::size_t part) {
    std::string text = both.per_step ? "Of the average step of a rank." : "Of the ranks' windows.";
    for (const core::Side side : core::kSides) {
        const auto& parts = both.sides[side].parts;
        const auto at = std::ranges::find(parts, kBreakdownParts[part].column, &TimePart::id);
        if (at == parts.end()) continue;
        text += std::string("\n").append(name_of(side)) + ": " + core::format_ratio(at->share) +
                " of the ranks' windows, " + (at->least_is_worst ? "least" : "most") + " on rank " +
                core::format_rank(at->worst) + ", " + core::format_ratio(at->worst_share);
    }
    return text;
}

}  // namespace

void OverviewBoth::choose_rank(Frame& frame, core::Side side, core::RankKey key) {
    const Click click = click_kind();
    if (const auto rank = find_named_rank(frame.session.alignment(), side, key))
        frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), *rank, click)});
}

void OverviewBoth::choose_step(Frame& frame, core::Side side, const StepTime& step) {
    const Click click = click_kind();
    if (const auto number = find_named_step(frame.session.alignment(), side, step.step))
        frame.intents.push_back(SetFilter{with_step(frame.session.filter(), *number, click)});
    frame.of(side).intents.push_back(ShowRange{step.range});
}

void OverviewBoth::draw_strips(Frame& frame, const OverviewComparison& both, bool of_ranks) {
    const auto spread_of = [&](core::Side side) -> const Spread& {
        return of_ranks ? both.sides[side].steps.over_ranks : both.sides[side].steps.over_steps;
    };
    if (spread_of(core::Side::Baseline).points.size() < 2 && spread_of(core::Side::Candidate).points.size() < 2) return;
    const core::BySide<const Spread*> all{&both.sides.baseline.steps.all, &both.sides.candidate.steps.all};
    double low = 1e300;
    double high = 0;
    for (const core::Side side : core::kSides) {
        if (all[side]->points.empty()) continue;
        low = std::min(low, all[side]->least);
        high = std::max(high, all[side]->greatest);
    }
    const float width = list_width();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = std::min(halves_begin(width), px(150));
    const float height = px(10);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, small_style(), {at.x, at.y + px(4)}, color::palette().muted,
              of_ranks ? "Step time over ranks" : "Step time over steps", left - px(8));
    for (const core::Side side : core::kSides) {
        const float y = at.y + (side == core::Side::Candidate ? height + px(1) : 0);
        draw_rect(list, {at.x + left, y + px(1)}, {at.x + left + px(6), y + height - px(1)}, color::of_side(side));
        if (side == core::Side::Candidate)
            draw_hatch(list, {at.x + left, y + px(1)}, {at.x + left + px(6), y + height - px(1)});
        if (spread_of(side).points.empty()) {
            draw_text(list, small_style(), {at.x + left + px(12), y - px(3)}, color::palette().muted, "\xE2\x80\x93");
            continue;
        }
        const std::string name = std::string(name_of(side)) + (of_ranks ? " rank" : " step");
        const ChartNotes notes = notes_of_column(*core::find_analysis("steps"), "duration");
        const StripPlot plot{spread_of(side), low,  high,
                             core::Unit::Ns,  name, of_ranks ? "Median step time" : "Longest step time",
                             &notes};
        ImGui::SetCursorScreenPos({at.x + left + px(10), y});
        const StripHit hit = draw_strip_plot(("##" + name_with(of_ranks ? "over-ranks" : "over-steps", side)).c_str(),
                                             plot, {width - left - px(10), height});
        if (!hit.clicked) continue;
        if (of_ranks)
            choose_rank(frame, side, core::RankKey::unpacked(plot.spread.points[*hit.point].id));
        else
            choose_step(frame, side, both.sides[side].steps.slowest[*hit.point]);
    }
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, 2 * height + px(3)});
}

void OverviewBoth::draw_worst(Frame& frame, const OverviewComparison& both) {
    const core::BySide<std::string> ranks{worst_rank_text(both.sides.baseline), worst_rank_text(both.sides.candidate)};
    if (!ranks.baseline.empty() || !ranks.candidate.empty()) {
        const HalvesHit hit =
            draw_halves("Worst rank", "worst-rank", ranks,
                        "The rank with the longest median step, or the one that idles most if steps are equally long "
                        "everywhere. A click filters by it.");
        if (hit.clicked) choose_rank(frame, *hit.clicked, both.sides[*hit.clicked].worst_rank->rank);
    }
    const core::BySide<std::string> steps{worst_step_text(both.sides.baseline), worst_step_text(both.sides.candidate)};
    if (steps.baseline.empty() && steps.candidate.empty()) return;
    const HalvesHit hit =
        draw_halves("Worst step", "worst-step", steps, "The longest step. A click filters by its number and shows it.");
    if (!hit.clicked) return;
    const StepTimes& times = both.sides[*hit.clicked].steps;
    choose_step(frame, *hit.clicked, times.slowest[times.over_steps.at_greatest]);
}

void OverviewBoth::draw_numbers(const OverviewComparison& both) {
    const float width = list_width();
    const ComparedColumns columns = lay_out_compared(width);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_compared_head(list, {at.x, at.y + px(2)}, columns);
    const core::BySide<std::string> whole{facts(both.sides.baseline), facts(both.sides.candidate)};
    const bool same = whole.baseline == whole.candidate;
    if (same)
        draw_text(list, small_style(), {at.x, at.y + px(2)}, color::palette().text, whole.baseline, columns.label);
    ImGui::Dummy({width, px(kOverviewLine)});
    if (!same) draw_halves("Ranks, steps", "", whole, "");
    if (both.median_step.known()) draw_number("Step time, median", both.median_step, 0, "Of every step of every rank.");
    if (both.whole.known())
        draw_number(both.per_step ? "Average step" : "Window, all ranks", both.whole, 0,
                    both.per_step ? "Over all steps of all ranks; the parts below add up to it."
                                  : "The parts below add up to it.");
    for (std::size_t part = 0; part < both.parts.size(); ++part)
        if (both.parts[part].known())
            draw_number(kBreakdownParts[part].title, both.parts[part], breakdown_parts()[part].color,
                        part_hint(both, part));
}

void OverviewBoth::draw_comparison(Frame& frame, const OverviewComparison& both, StepMap& map) {
    {
        const FontScope font(heading_style());
        fitted_text(both.has_steps() ? core::describe_step_briefly(both.step) : verdict(both));
    }
    {
        const FontScope font(small_style());
        if (both.has_steps()) {
            fitted_text(verdict(both), color::palette().muted);
            std::string notes;
            for (const std::string& note : core::note_statistics(both.step))
                notes += (notes.empty() ? "" : "\n") + note;
            if (!notes.empty()) tooltip(verdict(both) + "\n" + notes);
        }
        const std::string place = where(both);
        if (!place.empty()) fitted_text(place, color::palette().muted);
        for (const std::string& note : both.notes) fitted_text(note, color::palette().faint);
    }
    ImGui::Dummy({0, px(2)});
    draw_numbers(both);
    draw_worst(frame, both);
    draw_strips(frame, both, true);
    draw_strips(frame, both, false);
    if (has_map()) {
        ImGui::Dummy({0, px(8)});
        const std::size_t ranks = std::max(both.sides.baseline.ranks, both.sides.candidate.ranks);
        map.draw(frame, {list_width(), StepMap::height_for(ranks)});
    }
    ImGui::Dummy({0, px(4)});
    draw_number("Run", both.window, 0, "From the earliest event to the end of the last.");
    for (const ComparedEnvironment& line : both.environment) draw_halves(line.label, "", line.values, "");
    const FontScope font(small_style());
    if (both.environment.empty() && both.same_environment > 0)
        fitted_text("Same device and versions in both runs", color::palette().faint);
}

void OverviewBoth::draw(Frame& frame, StepMap& map) {
    shown_ = nullptr;
    const core::BySide<core::Request> breakdowns = ask_both(frame, "overview", "temporal-breakdown");
    const core::BySide<core::Request> steps = ask_both(frame, "overview/steps", "steps");
    const core::BySide<core::Request> stragglers = ask_both(frame, "overview/stragglers", "stragglers");
    Key key;
    core::BySide<core::RunPtr> runs;
    bool pending = false;
    double progress = 0;
    for (const core::Side side : core::kSides) {
        key.runs[side] = runs[side] = frame.of(side).run();
        key.filters[side] = frame.of(side).filter();
        key.breakdowns[side] = breakdowns[side].answer;
        key.steps[side] = steps[side].answer;
        key.stragglers[side] = stragglers[side].answer;
        pending |= breakdowns[side].pending() || steps[side].pending() || stragglers[side].pending();
        progress += (breakdowns[side].progress + steps[side].progress + stragglers[side].progress) / 6;
    }
    shown_ = comparison_.ask(frame.session.pool(), key, [key, runs, alignment = *frame.session.alignment()] {
        OverviewComparison::Input input{runs, key.filters, alignment, {}, {}, {}};
        for (const core::Side side : core::kSides) {
            if (key.breakdowns[side]) input.breakdowns[side] = &key.breakdowns[side]->main();
            if (key.steps[side]) input.steps[side] = &key.steps[side]->main();
            if (key.stragglers[side]) input.stragglers[side] = &key.stragglers[side]->main();
        }
        return OverviewComparison::of(input);
    });
    fresh_ = comparison_.fresh() && !pending;
    if (!shown_) return;
    if (!fresh_) progress_line(progress, ImGui::GetContentRegionAvail().x);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), 0});
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, fresh_ ? 1.0f : kStaleAlpha);
    draw_comparison(frame, *shown_, map);
    for (const core::Side side : core::kSides)
        for (const core::Request* request : {&breakdowns[side], &steps[side], &stragglers[side]})
            if (!request->error.empty()) text(request->error, color::palette().error);
    ImGui::PopStyleVar(2);
}

void OverviewBoth::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    const OverviewComparison& both = *shown_;
    shown["fresh"] = fresh_;
    shown["verdict"] = verdict(both);
    shown["where"] = where(both);
    shown["notes"] = both.notes;
    shown["window_ns"] = describe_compared(both.window);
    shown["median_step_ns"] = describe_compared(both.median_step);
    shown["per_step"] = both.per_step;
    shown["whole_ns"] = describe_compared(both.whole);
    for (std::size_t part = 0; part < both.parts.size(); ++part)
        shown["parts"][std::string(kBreakdownParts[part].column)] = describe_compared(both.parts[part]);
    for (const core::Side side : core::kSides) {
        const OverviewModel& model = both.sides[side];
        nlohmann::json& own = shown[std::string(name_of(side))];
        own["facts"] = facts(model);
        own["ranks"] = model.ranks;
        if (model.worst_rank) own["worst_rank"] = core::format_rank(model.worst_rank->rank);
        if (model.steps.all.points.empty()) continue;
        const StepTime& worst = model.steps.slowest[model.steps.over_steps.at_greatest];
        own["worst_step"] = {
            {"step", worst.step}, {"rank", core::format_rank(worst.rank)}, {"duration_ns", worst.duration}};
    }
    for (const ComparedEnvironment& line : both.environment)
        shown["environment"][line.label] = {{"baseline", line.values.baseline}, {"candidate", line.values.candidate}};
}

}  // namespace ui
