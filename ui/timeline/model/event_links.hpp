#pragma once
// From one event to the next: in its lane, or along what links it with others. Pure.

#include "core/index/run.hpp"
#include "ui/model/link_model.hpp"

namespace ui {

enum class Along : std::uint8_t { Back, Forward };

// The event before or after it in its lane; not valid() at the end.
core::EventRef find_neighbour(const core::Run&, core::EventRef, Along);
// Forward: the first GPU event it launched; else its backward pass, else where an arrow from it ends; else the call in
// it that leads to a launch; else, of a collective, the same one on the next rank that has it, and round. Back: its
// launch call; else its forward pass, else where an arrow to it begins; else what it lies in. O(flows).
// links: of the event with other ranks' collectives; null: not known yet, then none is gone to.
core::EventRef find_linked(const core::Run&, core::EventRef, Along, const EventLinks* links = nullptr);

}  // namespace ui
