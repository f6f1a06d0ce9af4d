#pragma once
// The one place that changes the document. reduce() is a pure function, so a test needs no window. Main thread only. No
// ImGui.

#include "ui/model/intent.hpp"

namespace ui {

// Input of a change other than the document.
struct Facts {
    const core::Session& session;
    core::Side side = core::Side::Baseline;  // the side of the panel or timeline that asked
    core::RunRange work{};  // the range that "the whole run" shows on this side; empty: the run's own
};

// Intents of other homes leave it as it is.
Document reduce(Document, const Intent&, const Facts&);

// Views stay with their runs; a run that was not open before gets an empty view.
Document with_query(Document, core::ViewQuery);
// The document after undo or redo: query, times shown, pinned and hidden rows from `then`; the rest from `now`,
// selections with their runs.
Document with_step(Document now, const Document& then);

}  // namespace ui
