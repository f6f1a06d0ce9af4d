#pragma once
// Launches and GPU work that state one number as the argument "id", as unitrace writes them instead of a correlation:
// the number becomes the correlation, and calls of Level Zero calls of the runtime. Internal to core/store.

#include "core/store/staged_events.hpp"

namespace core {

// Nothing where any event has a correlation, or where the ids of less than half of the GPU work are those of launches.
// The text store must be closed. O(events), with a pass over argument texts only where launches and GPU work lack one.
void adopt_call_ids(Staged&);

}  // namespace core
