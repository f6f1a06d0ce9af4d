#include "ui/timeline/parts/clock_chip.hpp"

#include "core/base/format.hpp"
#include "core/index/summary_rank.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <cmath>

namespace ui {
namespace {

constexpr float kMostBesideNote = 0.4f;  // of the corner above the rows, where the note of a summary is on its right

// Unset if there is no choice of clocks, or no result yet.
std::optional<core::ClockFacts> find_shown_facts(const TimelineFrame& f) {
    if (f.run->ranks().size() < 2) return std::nullopt;
    return core::find_clock_facts(*f.run);
}

struct ChipText {
    std::string text;
    float width = 0;
};

ChipText fit_text(const TimelineFrame& f, const core::ClockFacts& facts) {
    const bool has_note = core::is_summary(*f.run) || f.run->summary() != nullptr;
    const float most = has_note ? f.corner.width() * kMostBesideNote : f.corner.width() - px(16);
    for (const bool brief : {false, true}) {
        ChipText chip{describe_chip(facts, brief), 0};
        chip.width = text_width(small_style(), chip.text) + px(12);
        if (chip.width <= most) return chip;
    }
    return {};
}

}  // namespace

std::string describe_chip(const core::ClockFacts& facts, bool brief) {
    std::string text = facts.aligned ? "aligned" : "recorded";
    if (brief || !facts.measured) return text;
    const std::string_view separator = " \xC2\xB7 ";
    text.append(separator).append("residual ").append(core::format_duration(facts.residual));
    return text.append(separator).append("e ").append(core::format_duration(facts.error));
}

std::optional<core::ClockChoice> switch_clocks(const core::ClockFacts& facts) {
    if (facts.aligned) return core::ClockChoice::Recorded;
    if (!facts.comparable) return std::nullopt;
    return facts.matters ? core::ClockChoice::Auto : core::ClockChoice::Aligned;
}

std::string explain_clocks(const core::ClockFacts& facts, core::ClockChoice chosen) {
    std::string text = facts.aligned ? "The ranks are on one clock, measured from collectives that they leave together."
                                     : "The ranks are on their clocks as recorded.";
    text.append(" Chosen: ").append(core::name_of(chosen)).append(".");
    if (facts.measured) {
        text += "\n\nMembers leave a collective " + core::format_duration(facts.residual) +
                " apart (residual, weighted median). Differences between ranks below e = " +
                core::format_duration(facts.error) + " are not significant. Durations are the same on either clock.";
    } else {
        text += "\n\nWithout collectives the clock offsets are unknown. Durations are not affected.";
    }
    if (!facts.refused.empty()) text += "\n\nThe clocks cannot be compared: " + facts.refused + ".";
    if (const std::optional<core::ClockChoice> next = switch_clocks(facts))
        text += *next == core::ClockChoice::Recorded ? "\n\nClick: clocks as recorded." : "\n\nClick: aligned clocks.";
    return text;
}

Box find_clock_chip(const TimelineFrame& f) {
    const std::optional<core::ClockFacts> facts = find_shown_facts(f);
    if (!facts) return {};
    const float width = fit_text(f, *facts).width;
    if (width <= 0) return {};
    const ImVec2 at{std::floor(f.corner.min.x + px(8)), f.corner.min.y + px(28)};  // covers no tick
    return {at, {at.x + width, at.y + px(17)}};
}

void draw_clock_chip(TimelineFrame& f) {
    const Box box = find_clock_chip(f);
    const std::optional<core::ClockFacts> facts = find_shown_facts(f);
    if (box.width() <= 0 || !facts) return;
    ImGui::SetCursorScreenPos(box.min);
    const bool clicked = invisible_button("##clocks", {box.width(), box.height()});
    record_item("##clocks");
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(box.min, box.max, hovered ? color::palette().line : color::palette().raised, px(3));
    draw_text(list, small_style(), {box.min.x + px(6), box.min.y + px(2)}, color::palette().muted,
              fit_text(f, *facts).text);
    if (hovered) show_tooltip(explain_clocks(*facts, f.frame.session.clocks(f.frame.side)));
    const std::optional<core::ClockChoice> next = switch_clocks(*facts);
    if (clicked && next) f.frame.intents.push_back(SetClocks{*next, f.frame.side});
}

}  // namespace ui
