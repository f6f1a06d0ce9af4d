#pragma once
// Events unique to one run: those whose name and class occur nowhere in the other run. Names of GPU
// events are compared as written, because a number in them (a tile, a version) means different
// work; other names are compared without digits, so step 12 matches step 7 and a moved line of
// Python matches itself. Ignores the filter. O(names + events). Thread-safe.

#include "core/diff/align/side.hpp"
#include "core/query/find_events.hpp"

namespace core {

struct UniqueEvents {
    BySide<FoundEventsPtr> events;
    BySide<std::size_t> names;  // distinct (name, class) pairs
};

// Fails if cancelled.
Result<UniqueEvents> find_unique_events(const BySide<RunPtr>&, const JobContext&);

}  // namespace core
