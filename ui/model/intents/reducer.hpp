#pragma once
// The one place that changes the document. reduce() is a pure function, so a test needs no window. Main thread only. No
// ImGui.

#include "ui/model/intent.hpp"

namespace ui {

// Input of a change other than the document.
struct Facts {
    const core::Session& session;
    core::Side side = core::Side::Baseline;  // whose panel or timeline asked
    core::RunRange work{};  // what "the whole run" is on this side; empty: the run's own
};

// Intents of other homes leave it as it is.
Document reduce(Document, const Intent&, const Facts&);

// Views go with their runs; a run that was not open before has none yet.
Document with_query(Document, core::ViewQuery);
// The document after undo or redo: `then` of query, times shown and what is pinned or hidden; the rest stays,
// selections with their runs.
Document with_step(Document now, const Document& then);

}  // namespace ui
