#pragma once
// Steps from one event to the next: within its lane, or along its links. Pure.

#include "core/index/run.hpp"
#include "ui/model/link_model.hpp"

namespace ui {

enum class Along : std::uint8_t { Back, Forward };

// The previous or next event of its lane; not valid() at the end.
core::EventRef find_neighbour(const core::Run&, core::EventRef, Along);
// Follows a link. Forward: the first GPU event it launched; else its backward pass, else the end of an arrow from it;
// else the call in it that leads to a launch; else, for a collective, the same one on the next rank that has it,
// wrapping around. Back: its launch call; else its forward pass, else the start of an arrow to it; else the enclosing
// event. O(flows). links: the event's links to collectives of other ranks; null: not known yet, so they are skipped.
core::EventRef find_linked(const core::Run&, core::EventRef, Along, const EventLinks* links = nullptr);

}  // namespace ui
