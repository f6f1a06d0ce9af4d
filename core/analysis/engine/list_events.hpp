#pragma once
// The events behind a number: those that pass a filter, longest first, as a sortable, searchable
// table. O(events) of the ranks in the filter; run on the pool.

#include "core/analysis/engine/table.hpp"
#include "core/query/find_events.hpp"

#include <memory>
#include <string>
#include <vector>

namespace core {

struct EventListQuery {
    RunPtr run;
    Filter filter;
    // GPU events with exactly one of these names; empty: any name.
    std::vector<std::string> names{};
    // If an operator and a kernel share a name: events on threads, and GPU events only if there are
    // none.
    bool threads_first = false;
    std::vector<SelectionPtr> selections{};  // by slot, for this filter; null: built on demand
    std::size_t most = 5'000;                // rows
};

struct EventList {
    // rank, event (keys), track, start, duration, name. Start counts from the run's origin; the
    // duration is cut to the time range.
    Table table;
    std::uint64_t count = 0;  // all events, listed or not
    Duration total{0};  // sum of durations
};
using EventListPtr = std::shared_ptr<const EventList>;

// Results of a search, all or those with one of these names on this rank.
struct FoundListQuery {
    FoundEventsPtr found;
    std::vector<std::string> names{};  // empty: any name
    std::optional<bool> on_gpu{};
    std::optional<RankKey> rank{};
    std::size_t most = 5'000;
};
Result<EventListPtr> list_found(const FoundListQuery&, const JobContext&);

// Fails if cancelled or if a regular expression is invalid.
Result<EventListPtr> list_events(const EventListQuery&, const JobContext&);

}  // namespace core
