#pragma once
// The one place that changes the document. reduce() is a pure function, so a test needs no window; DocumentStore holds
// the current document and gives away const access only. Main thread only. No ImGui.

#include "ui/model/state.hpp"

#include <utility>

namespace ui {

// What a change depends on besides the document.
struct Facts {
    const core::Session& session;
    core::Side side = core::Side::Baseline;  // whose panel or timeline asked
    core::EventRef selected = {};            // on this side; invalid when nothing is
};

// Intents that are not about the document leave it as it is.
Document reduce(Document, const Intent&, const Facts&);

class DocumentStore {
public:
    const Document& document() const { return document_; }
    const UiChoices& choices() const { return document_.choices; }
    void apply(const Intent& intent, const Facts& facts) { document_ = reduce(std::move(document_), intent, facts); }

private:
    Document document_;
};

}  // namespace ui
