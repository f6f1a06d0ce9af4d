#pragma once
// What one run has and another has not: events whose name, with their class, occurs nowhere in the other run. Names of
// GPU work count as written, for a number in them (a tile, a version) is other work; names of anything else without
// their digits, so that step 12 is step 7, and a moved line of Python is the same function. O(names + events);
// runs without a filter, so that an answer holds for as long as the two are open. Any thread.

#include "core/diff/side.hpp"
#include "core/query/find_events.hpp"

namespace core {

struct OnlyHere {
    BySide<FoundEventsPtr> events;
    BySide<std::size_t> names;  // distinct ones, with their class
};

// Fails when cancelled.
Result<OnlyHere> find_only_here(const BySide<RunPtr>&, const JobContext&);

}  // namespace core
