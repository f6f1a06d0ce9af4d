#include "ui/panels/overview_lines.hpp"

#include "core/charts/axis.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/style/wrap.hpp"
#include "ui/table/row_clicks.hpp"

#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kOverviewLine = 17;    // line height of two runs' lists, at scale 1
constexpr float kMostWidth = 620;
constexpr float kHalvesBegin = 150;    // at most
constexpr float kBar = 72;
constexpr float kLeastRestOfLine = 60;

void draw_overview_label(const OverviewLine& line) {
    float room = px(kOverviewLabel - 8);
    if (line.swatch != 0) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float top = at.y + std::max(0.0f, (ImGui::GetTextLineHeight() - px(9)) / 2);
        draw_rect(ImGui::GetWindowDrawList(), {at.x, top}, {at.x + px(9), top + px(9)}, line.swatch, px(2));
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(15));
        room -= px(15);
    }
    muted_text(fit_text(ui_style(), line.label, room));
}

}  // namespace

// States ranks against the world size if the files know it, because a missing rank matters more than any number shown;
// captures only if a rank has several.
std::string describe_ranks(const RunOverview& model) {
    if (model.chosen && model.chosen->captures < model.ranks.captures)
        return core::format_rank_count(*model.chosen, model.ranks) + " chosen";
    const auto all = static_cast<std::size_t>(std::max(0, model.world_size.value_or(0)));
    const bool is_known = all > 0 && all >= model.ranks.ranks;  // files may state fewer ranks than there are
    const std::string damaged =
        model.damaged == 0 ? std::string() : ", " + core::format_count(std::uint64_t{model.damaged}) + " damaged";
    const bool is_plain = model.ranks.captures == model.ranks.ranks;
    if (!is_plain && (!is_known || all == model.ranks.ranks)) return core::format_rank_count(model.ranks) + damaged;
    if (!is_plain)
        return core::format_count(std::uint64_t{model.ranks.ranks}) + " of " + core::format_count(std::uint64_t{all}) +
               " ranks, " + core::format_plural(model.ranks.captures, "capture", "captures") + damaged;
    if (model.ranks.ranks == 1 && all <= 1) return "1 rank" + damaged;
    return core::format_count(std::uint64_t{model.ranks.ranks}) +
           (is_known ? " of " + core::format_count(std::uint64_t{all}) : "") + " ranks" + damaged;
}

std::string describe_steps(const StepTimes& steps) {
    if (steps.all.points.empty()) return "no steps";
    if (steps.least_per_rank == steps.most_per_rank) return core::format_plural(steps.most_per_rank, "step", "steps");
    return core::format_count(steps.least_per_rank) + "\xE2\x80\x93" + core::format_count(steps.most_per_rank) +
           " steps";
}

std::string describe_facts(const RunOverview& run) {
    return describe_ranks(run) + "  \xC2\xB7  " + describe_steps(run.steps);
}

// Runs without steps get a sentence instead of a verdict, however long the windows are.
std::string describe_verdict(const OverviewChange& change) {
    const Compared& time = change.headline();
    if (change.has_steps() || (time.known() && time.change)) return core::describe_step(change.step);
    if (!time.known()) return "Neither run has steps or GPU work";
    return "Only the " + std::string(name_of(time.baseline ? core::Side::Baseline : core::Side::Candidate)) + " has " +
           (change.median_step.known() ? "steps" : "GPU work");
}

std::string describe_change(const OverviewModel& model) {
    const OverviewChange& change = *model.change;
    if (noticeable_change(change.headline()) == 0) return "";
    std::string text;
    if (change.part_changed_most) {
        const std::size_t part = *change.part_changed_most;
        text = "most of it " + std::string(kBreakdownParts[part].title) + ", " +
               format_change(change.parts[part], core::Unit::Ns) + (change.per_step ? " per step" : "");
        text[text.find(kBreakdownParts[part].title)] =
            static_cast<char>(std::tolower(static_cast<unsigned char>(kBreakdownParts[part].title[0])));
    }
    if (change.rank_changed_most && model.sides.baseline->ranks.ranks > 1)
        text += (text.empty() ? "" : "; ") + ("most on rank " + label_of(change.rank_changed_most->rank)) + ", " +
                format_change(change.rank_changed_most->median_step, core::Unit::Ns);
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string describe_worst_rank(const RunOverview& model) {
    if (!model.worst_rank) return "";
    const WorstRank& worst = *model.worst_rank;
    if (worst.is_late && worst.waited_ns == 0) return "rank " + core::format_rank(worst.rank) + ", holds up the run";
    if (worst.is_late)
        return "rank " + core::format_rank(worst.rank) + ", others wait " +
               core::format_duration(core::Duration{worst.waited_ns});
    return "rank " + core::format_rank(worst.rank) +
           (worst.by_step_time ? ", step +" + core::format_ratio(worst.over)
                               : ", " + core::format_ratio(worst.idle_share) + " idle");
}

std::string describe_worst_step(const RunOverview& model) {
    if (model.steps.all.points.empty()) return "";
    if (!model.steps.worst_stands_out) return "none stands out";
    const StepTime& step = model.steps.slowest[model.steps.over_steps.at_greatest];
    return "step " + std::to_string(step.step) + ", rank " + core::format_rank(step.rank) + ", " +
           core::format_value(step.duration, core::Unit::Ns);
}

std::string explain_part(const OverviewModel& model, std::size_t part) {
    std::string text =
        model.change && model.change->per_step ? "Of the average step of a rank." : "Of the ranks' windows.";
    for (const core::Side side : core::kSides) {
        if (!model.sides[side]) continue;
        const auto& parts = model.sides[side]->parts;
        const auto at = std::ranges::find(parts, kBreakdownParts[part].column, &TimePart::id);
        if (at == parts.end()) continue;
        text += std::string("\n").append(name_of(side)) + ": " + core::format_ratio(at->share) +
                " of the ranks' windows, " + (at->least_is_worst ? "least" : "most") + " on rank " +
                core::format_rank(at->worst) + ", " + core::format_ratio(at->worst_share);
    }
    return text;
}

namespace {

// Draws the bar and returns the width that it takes, 0 without one.
float draw_overview_bar(const OverviewLine& line, float room) {
    if (line.bar <= 0) return 0;
    const float wide = std::floor(std::min(px(kBar), room / 3));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = at.y + std::max(0.0f, (ImGui::GetTextLineHeight() - px(9)) / 2);
    const float filled = std::max(px(1), wide * static_cast<float>(std::min(1.0, line.bar)));
    ImDrawList* const list = ImGui::GetWindowDrawList();
    draw_rect(list, {at.x, top}, {at.x + wide, top + px(9)}, color::palette().line, px(2));
    draw_rect(list, {at.x, top}, {at.x + filled, top + px(9)}, line.swatch, px(2));
    return wide + px(8);
}

}  // namespace

bool draw_overview_line(const OverviewLine& line) {
    ImGui::PushID(line.label.data(), line.label.data() + line.label.size());
    const ImVec2 start = ImGui::GetCursorPos();
    bool clicked = false;
    if (!line.item.empty()) {
        clicked = selectable(("##" + std::string(line.item)).c_str(), false);
        tooltip(line.one_line && !line.note.empty() ? line.note + "\n" + std::string(line.hint)
                                                    : std::string(line.hint));
        ImGui::SetCursorPos(start);
    }
    draw_overview_label(line);
    ImGui::SameLine(start.x + px(kOverviewLabel), 0);
    float room = ImGui::GetContentRegionAvail().x;
    if (const float bar = draw_overview_bar(line, room); bar > 0) {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + bar);
        room -= bar;
    }
    text(fit_text(ui_style(), line.value, room));
    const float left = room - text_width(ui_style(), line.value) - px(10);
    if (line.one_line) {
        if (!line.note.empty() && left >= px(kLeastRestOfLine)) {
            ImGui::SameLine(0, px(10));
            text(fit_text(ui_style(), line.note, left), color::palette().muted);
        }
    } else if (!line.note.empty()) {
        if (text_width(ui_style(), line.note) > left)
            ImGui::SetCursorPosX(start.x + px(kOverviewLabel));
        else
            ImGui::SameLine(0, px(10));
        wrapped_text(line.note, color::palette().muted);
    }
    ImGui::PopID();
    return clicked;
}

float overview_list_width() { return std::min(ImGui::GetContentRegionAvail().x, px(kMostWidth)); }

float overview_halves_begin() { return std::min(lay_out_compared(overview_list_width()).label, px(kHalvesBegin)); }

std::string name_with_side(std::string_view name, core::Side side) {
    return side == core::Side::Baseline ? std::string(name) : "candidate-" + std::string(name);
}

std::optional<core::Side> draw_overview_halves(std::string_view label, std::string_view item,
                                               const core::BySide<std::string>& words, std::string_view hint) {
    std::optional<core::Side> clicked;
    const float width = overview_list_width();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = overview_halves_begin();
    const float half = std::floor((width - left) / 2);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, small_style(), {at.x, at.y + px(2)}, color::palette().muted, label, left - px(8));
    for (const core::Side side : core::kSides) {
        const float x = left + (side == core::Side::Candidate ? half : 0);
        bool hovered = false;
        if (!item.empty() && !words[side].empty()) {
            const std::string id = "##" + name_with_side(item, side);
            ImGui::SetCursorScreenPos({at.x + x, at.y});
            if (invisible_button(id.c_str(), {half, px(kOverviewLine)})) clicked = side;
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
    return clicked;
}

void draw_overview_number(std::string_view label, const Compared& value, ImU32 swatch, const std::string& hint) {
    const float width = overview_list_width();
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

void draw_overview_head(const core::BySide<std::string>& facts) {
    const float width = overview_list_width();
    const ComparedColumns columns = lay_out_compared(width);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_compared_head(list, {at.x, at.y + px(2)}, columns);
    const bool same = facts.baseline == facts.candidate;
    if (same)
        draw_text(list, small_style(), {at.x, at.y + px(2)}, color::palette().text, facts.baseline, columns.label);
    ImGui::Dummy({width, px(kOverviewLine)});
    if (!same) draw_overview_halves("Ranks, steps", "", facts, "");
}

}  // namespace ui
