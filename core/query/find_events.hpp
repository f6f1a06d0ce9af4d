#pragma once
// Every event of a run, on CPU or GPU, whose name or arguments hold what is searched for and which the filter lets
// through. Each distinct name is decided once; then the columns are read: O(names + events), about 2 ns an event.
// Arguments are read from their packed texts, with progress. What is found can be walked in the run's order: by start, then rank, then lane. Immutable; any thread may read it.

#include "core/query/event_set.hpp"
#include "core/query/find_text.hpp"
#include "core/query/selection.hpp"

#include <bitset>

namespace core {

struct FindQuery {
    RunPtr run;
    FindText text;
    Filter filter;
    std::vector<SelectionPtr> selections;  // by slot, of this filter; one that is null is built when it is needed
};

// Names of one rank by local NameId: a bit for each KernelClass whose events are wanted.
using WantedNames = std::vector<std::uint8_t>;

class FoundEvents {
public:
    // Fails when cancelled, or when a regular expression cannot be used.
    static Result<std::shared_ptr<const FoundEvents>> search(const FindQuery&, const JobContext&);

    const RunPtr& run() const { return run_; }
    // Of the event's duration what the time filter leaves.
    Duration length_of(EventRef) const;

    // Those of the wanted names, given by slot; fails when cancelled.
    static Result<std::shared_ptr<const FoundEvents>> collect(const RunPtr&, const std::vector<WantedNames>&,
                                                              const JobContext&);

    std::size_t count() const { return count_; }
    // The sum of their durations; of those that the time filter cuts, what is left. Nested events each count.
    Duration total() const { return total_; }
    const EventSet& events(std::size_t slot) const { return ranks_[slot].events; }
    bool contains(EventRef) const;
    // The nearest one after or before a place in the run's order; beyond the last comes the first. The place need
    // not be one of them. Not valid() when nothing was found. O(lanes · log events).
    EventRef next_after(EventRef) const;
    EventRef previous_before(EventRef) const;
    EventRef first_from(RunTime) const;  // starts at t or later
    // How many come before it in the run's order.
    std::size_t position_of(EventRef) const;

    static constexpr std::size_t kCells = 4096;
    const std::bitset<kCells>& cells() const { return cells_; }  // of the run's window: whether it touches any

private:
    friend class EventSearch;
    struct FoundLane {  // of those with at least one; ids outside of it are in no set
        EventId first;
        EventId last;
    };
    struct FoundRank {
        EventSet events;
        std::vector<FoundLane> lanes;
    };
    struct Place {
        RunTime start;
        EventRef ref;
        auto operator<=>(const Place&) const = default;
    };
    FoundEvents() = default;
    Place place_of(EventRef) const;
    EventId split(std::size_t slot, const FoundLane&, const Place&) const;
    EventRef next_from(const Place&) const;
    EventRef last_before(const Place&) const;

    RunPtr run_;
    std::optional<RunRange> time_;  // of the filter
    std::vector<FoundRank> ranks_;  // by slot
    std::size_t count_ = 0;
    Duration total_{0};
    std::bitset<kCells> cells_;
};

using FoundEventsPtr = std::shared_ptr<const FoundEvents>;

}  // namespace core
