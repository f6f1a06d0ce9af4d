#pragma once
// Holds the document, the query of a session included, with the steps of undo; gives away const access only.
// Main thread only. No ImGui.

#include "ui/model/intents/reducer.hpp"

#include <utility>

namespace ui {

// Undo restores the query, the times shown, pinned and hidden rows, and the parameters of What if. One gesture is one
// step, and a view that moves together with another step (a click that filters and shows) is undone with it.
class DocumentStore {
public:
    const Document& document() const { return document_; }
    const UiChoices& choices() const { return document_.choices; }
    const View& view(core::Side side) const { return document_.views[side]; }
    // A change of pinned or hidden rows or of What if is a step.
    void apply(const Intent&, const Facts&);
    // Called after each frame: decides whether its views are a step. by_hand: only input moved them. seconds: since the
    // last frame.
    void end_frame(bool by_hand, double seconds);
    // True once after undo or redo: a view of the whole run must be fitted to the run as it is now.
    bool poll_restored() { return std::exchange(restored_, false); }

    // Makes steps of the changes that the session reports. Call it after every function that changes the query,
    // before the views change further.
    void record(core::Session&);
    // The first step of a window: what is open.
    void begin(core::Session&);
    // The session shows the query of that step.
    void undo(core::Session&);
    void redo(core::Session&);
    bool can_undo() const { return steps_.can_undo(); }
    bool can_redo() const { return steps_.can_redo(); }

private:
    void commit_what_if(const Intent&);
    void commit(core::ViewQuery, core::Gesture);
    void replace(core::ViewQuery);
    void amend(core::ViewQuery);
    void show_step(core::Session&);
    Document document_;
    core::History<Document> steps_{Document{}};  // of their choices only pins are brought back
    std::uint64_t commits_ = 0;  // of steps_, after the last frame
    std::uint64_t motion_ = 1;
    double rest_seconds_ = 0;
    bool restored_ = false;
};

}  // namespace ui
