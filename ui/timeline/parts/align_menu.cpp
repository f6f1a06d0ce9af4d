#include "ui/timeline/parts/align_menu.hpp"

#include "ui/commands/commands.hpp"
#include "ui/style/items.hpp"
#include "ui/style/menu_items.hpp"

#include <imgui.h>

namespace ui {
namespace {

// Draws an entry; true when chosen. `chosen` marks the current alignment.
bool offer(const char* id, const std::string& words, const std::string& key, bool chosen, bool enabled) {
    const bool pressed = menu_item(words.c_str(), key.c_str(), chosen, enabled);
    record_item(id);
    return pressed;
}

std::string key_of(std::string_view command) {
    const Command* found = find_command(command);
    return found ? key_map().format(found->id) : std::string();
}

}  // namespace

std::string format_alignment(const core::Session& session, core::Side side) {
    const core::RunAlignment* alignment = session.alignment();
    if (!alignment) return {};
    if (alignment->anchor_steps) return "step " + std::to_string((*alignment->anchor_steps)[side]);
    const core::AlignBy& by = session.aligned_by();
    return by.kind == core::AlignBy::Kind::Moments ? by.names[side] : "the starts";
}

std::optional<core::BySide<std::int64_t>> find_step_at(const core::RunAlignment& alignment, core::Side side,
                                                       core::RunTime moment) {
    const core::BySide<core::StepBegin>* last = nullptr;
    for (const core::BySide<core::StepBegin>& pair : alignment.steps)
        if (pair[side].begin <= moment && (!last || (*last)[side].begin < pair[side].begin)) last = &pair;
    if (!last) return std::nullopt;
    return core::BySide<std::int64_t>{last->baseline.number, last->candidate.number};
}

void draw_align_menu(Frame& frame, const std::optional<core::BySide<std::int64_t>>& step) {
    using Kind = core::AlignBy::Kind;
    const core::AlignBy& now = frame.session.aligned_by();
    const auto align = [&](Kind kind, std::int64_t number) {
        frame.intents.push_back(AlignRuns{{.kind = kind, .step = number, .moments = {}, .names = {}}});
    };
    if (step) {
        const bool same = step->baseline == step->candidate;
        const std::string words =
            "Align at step " + std::to_string((*step)[frame.side]) +
            (same ? ""
                  : " (the other run's " +
                        std::to_string(frame.side == core::Side::Baseline ? step->candidate : step->baseline) + ")");
        const bool chosen = now.kind == Kind::Step && now.step == step->baseline;
        if (offer("##align-here", words, key_of("align-here"), chosen, true)) align(Kind::Step, step->baseline);
    }
    if (offer("##align-step", "Align at the first complete step", "", now.kind == Kind::FirstStep, true))
        align(Kind::FirstStep, 0);
    if (offer("##align-start", "Align at the starts of the runs", "", now.kind == Kind::Start, true))
        align(Kind::Start, 0);
    const bool both = frame.view().selected.valid() && frame.other_view().selected.valid();
    const std::string events =
        both ? "Align at the two selected events" : "Align at two events: select one in each run";
    if (offer("##align-events", events, key_of("align-events"), now.kind == Kind::Moments, both))
        frame.intents.push_back(AlignAtSelected{});
}

}  // namespace ui
