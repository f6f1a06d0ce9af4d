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
// Whether it is about one side's view; all else is about what both sides share.
bool is_of_view(const Intent&);
// Whether it says what input did to a timeline in the frame, so that it comes before what was made of that.
bool is_timeline_input(const Intent&);

}  // namespace ui
