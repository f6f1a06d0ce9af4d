#include "ui/model/intents/applied_to.hpp"

namespace ui {
namespace {

struct AddRequest {
    const AppliedTo& to;
    void operator()(const RevealEvent& reveal) const {
        if (exists(to.run, reveal.event)) to.applied.reveal = reveal.event;
    }
    void operator()(const FocusFilter&) const { to.ephemera.window.focus_filter = true; }
    void operator()(const FindStep& step) const { to.asked().find_steps += step.steps; }
    void operator()(const StopFind&) const {
        for (const core::Side side : core::kSides) to.ephemera.asked[side].stop_find = true;
    }
    void operator()(const WalkGaps& walk) const {
        if (to.run) to.asked().gap_steps += walk.steps;
    }
    void operator()(const GoToOccurrence& go) const { to.asked().occurrence = go.which; }
    void operator()(const AskForPath& ask) const { to.ephemera.window.ask_for_path = ask.side; }
    void operator()(const AskToSave& ask) const { to.ephemera.window.ask_to_save = ask.kind; }
    void operator()(const OpenPalette& open) const { to.ephemera.window.open_palette = open.mode; }
    void operator()(const AskForSettings&) const { to.ephemera.window.ask_for_settings = true; }
    void operator()(const OpenSample&) const { to.ephemera.window.open_sample = true; }
    void operator()(const Quit&) const { to.applied.quit = true; }
};

}  // namespace

void add_request(const FrameRequest& request, const AppliedTo& to) { std::visit(AddRequest{to}, request); }

}  // namespace ui
