#pragma once
// The events of a lane that overlap a time range; their ids are consecutive. An instant belongs to
// the range that contains it. O(log events).

#include "core/index/run.hpp"

namespace core {

struct LaneRange {
    EventId first;
    EventId last;  // half-open
};
LaneRange find_events_in(const RankSlot&, const Lane&, RunRange);

}  // namespace core
