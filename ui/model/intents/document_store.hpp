#pragma once
// Holds the document with its steps of undo, gives away const access only, and keeps a session's query in it. Main
// thread only. No ImGui.

#include "ui/model/intents/reducer.hpp"

#include <utility>

namespace ui {

// Undo restores the query, the times shown, pinned and hidden rows, and the parameters of What if. One gesture is one
// step, and a view that moves together with another step (a click that filters and shows) is undone with it.
class DocumentStore final : public core::QueryHistory {
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

    // The query of the last step, because the document itself may be with the reducer.
    const core::ViewQuery& current() const override { return steps_.current().query; }
    void commit(core::ViewQuery, core::Gesture) override;
    void replace(core::ViewQuery) override;
    void amend(core::ViewQuery) override;
    void forget_from(const std::function<bool(const core::ViewQuery&)>& too_old) override;
    void undo() override;
    void redo() override;
    bool can_undo() const override { return steps_.can_undo(); }
    bool can_redo() const override { return steps_.can_redo(); }
    void adopt_steps(const core::History<core::ViewQuery>&) override;
    core::History<core::ViewQuery> give_back() override;

private:
    void commit_what_if(const Intent&);
    Document document_;
    core::History<Document> steps_{Document{}};  // of their choices only pins are brought back
    std::uint64_t commits_ = 0;  // of steps_, after the last frame
    std::uint64_t motion_ = 1;
    double rest_seconds_ = 0;
    bool restored_ = false;
};

}  // namespace ui
