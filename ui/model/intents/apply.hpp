#pragma once
// Applies intents between frames: to the session, to the document by its reducer, to what the next frame is asked for.
// No ImGui here.

#include "ui/model/intent.hpp"

#include <optional>
#include <span>

namespace ui {

struct Applied {
    bool quit = false;
    core::EventRef reveal;  // an event whose lane the timeline should bring into view
    std::optional<std::uint32_t> top;  // a rank whose row should be the uppermost
};
class DocumentStore;
// side: whose view the intents are about.
Applied apply(std::span<const Intent>, core::Session&, DocumentStore&, Ephemera&,
              core::Side side = core::Side::Baseline);

struct Addressee {
    IntentSide target = IntentSide::Shared;
    std::optional<core::Side> side;  // one that the intent names itself
};
Addressee addressee_of(const Intent&);

}  // namespace ui
