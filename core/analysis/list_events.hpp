#pragma once
// The events behind a number: those that pass a filter, longest first, as a table that can be sorted and searched.
// O(events) of the ranks that the filter takes; for the pool.

#include "core/analysis/engine/table.hpp"
#include "core/query/find_events.hpp"

#include <memory>
#include <string>
#include <vector>

namespace core {

struct EventListQuery {
    RunPtr run;
    Filter filter;
    // GPU events of any of these names, whole; none: of any name.
    std::vector<std::string> names{};
    // An operator and a kernel may have one name: then those on threads, and GPU events only where there are none.
    bool threads_first = false;
    std::vector<SelectionPtr> selections{};  // by slot, of this filter; one that is null is built when it is needed
    std::size_t most = 5'000;                // rows
};

struct EventList {
    // rank, event (keys), track, start, duration, name. Start from the run's origin; of an event that the time range
    // cuts, the duration is of what is left.
    Table table;
    std::uint64_t count = 0;  // of all, listed or not
    Duration total{0};  // of their durations
};
using EventListPtr = std::shared_ptr<const EventList>;

// Of what a search found, all or what has one of these names and is on this rank.
struct FoundListQuery {
    FoundEventsPtr found;
    std::vector<std::string> names{};  // any of these; none: any name
    std::optional<bool> on_gpu{};
    std::optional<RankKey> rank{};
    std::size_t most = 5'000;
};
Result<EventListPtr> list_found(const FoundListQuery&, const JobContext&);

// Fails when cancelled, or when a regular expression cannot be used.
Result<EventListPtr> list_events(const EventListQuery&, const JobContext&);

}  // namespace core
