#pragma once
// The parts of apply(), one for each home of intents below the window. No ImGui.

#include "ui/model/intent_value.hpp"
#include "ui/model/intents/apply.hpp"
#include "ui/model/intents/document_store.hpp"

namespace ui {

// Targets of intents.
struct AppliedTo {
    core::Session& session;
    const core::RunPtr& run;
    DocumentStore& store;
    Ephemera& ephemera;
    Applied& applied;
    core::Side side;

    const View& view() const { return store.view(side); }
    SideRequests& asked() const { return ephemera.asked[side]; }
    Facts facts() const { return {.session = session, .side = side, .work = ephemera.sides[side].work}; }
};

// Runs, filter, alignment, marks.
void apply_to_session(const SessionIntent&, const AppliedTo&);
// Written where the next frame reads it.
void add_request(const FrameRequest&, const AppliedTo&);
// The document itself, then what follows elsewhere from a few of these intents.
void apply_to_document(const Intent&, const DocumentIntent&, const AppliedTo&);

}  // namespace ui
