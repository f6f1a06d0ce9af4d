#pragma once
// Applies the intents of a frame: decides which side's view an intent is about, and does what needs both sides; apply()
// does the rest. Between frames, main thread only.

#include "ui/shell/saving.hpp"
#include "ui/timeline/parts/timeline.hpp"

#include <span>

namespace ui {

struct IntentTargets {
    core::Session& session;
    Saving& saving;
    DocumentStore& store;
    Ephemera& ephemera;
    core::BySide<Timeline*> timelines;
    core::Side& active;  // the one the mouse was on last
    core::Side& selected;  // whose event was selected last
    const std::filesystem::path& settings_folder;  // empty: nothing is written there

    const UiChoices& choices() const { return store.choices(); }
    const View& view(core::Side side) const { return store.view(side); }
};

struct AppliedIntents {
    bool quit = false;
    std::filesystem::path opened_session;  // the last one; empty: none
};

// Intents of one side's panels, in their order.
AppliedIntents apply_intents(const IntentTargets&, core::Side side, std::span<const Intent>);

// The command line that opens what the baseline's view shows.
std::string command_line_of(const core::Session&, const View&);

}  // namespace ui
