#pragma once
// The events of a lane that overlap a range of time: they follow one another, so their ids do. A moment belongs to
// the range that contains it. O(log events).

#include "core/index/run.hpp"

namespace core {

struct LaneRange {
    EventId first;
    EventId last;  // half-open
};
LaneRange find_events_in(const RankSlot&, const Lane&, RunRange);

}  // namespace core
