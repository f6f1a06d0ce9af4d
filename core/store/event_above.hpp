#pragma once
// One step from an event towards the root of its call tree. Parents in a file that was checked have no circles; a file
// that is cut while it is mapped turns to zeros, where event 0 is its own parent. Walks by this function end all the
// same.

#include "core/store/rank_trace.hpp"

namespace core {

inline EventId event_above(const RankTrace& trace, EventId e) {
    const EventId parent = trace.parent[index_of(e)];
    return parent == e || index_of(parent) >= trace.size() ? kNoEvent : parent;
}

}  // namespace core
