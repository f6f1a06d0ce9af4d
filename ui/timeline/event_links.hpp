#pragma once
// From one event to the next: in its lane, or along what one launched or caused. Pure; O(log events), backwards along
// a flow arrow O(flows).

#include "core/index/run.hpp"

namespace ui {

enum class Along : std::uint8_t { Back, Forward };

// The event before or after it in its lane; not valid() at the end.
core::EventRef find_neighbour(const core::Run&, core::EventRef, Along);
// Forward: the first GPU event it launched, else where its first flow arrow ends. Back: its launch call, else where a
// flow arrow to it begins.
core::EventRef find_linked(const core::Run&, core::EventRef, Along);

}  // namespace ui
