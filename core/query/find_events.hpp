#pragma once
// All events of a run, on CPU or GPU, whose name or arguments match a search and which pass the
// filter. Tests each distinct name once, then reads the columns: O(names + events), about 2 ns per
// event. Arguments are read from packed texts, with progress. Results iterate in run order: by
// start, then rank, then lane. Immutable and readable from any thread.

#include "core/query/event_set.hpp"
#include "core/query/find_text.hpp"
#include "core/query/selection.hpp"

#include <bitset>

namespace core {

struct FindQuery {
    RunPtr run;
    FindText text;
    Filter filter;
    std::vector<SelectionPtr> selections;  // by slot, for this filter; null: built on demand
};

// Wanted names of one rank by local NameId: a bit per wanted KernelClass.
using WantedNames = std::vector<std::uint8_t>;

class FoundEvents {
public:
    // Fails if cancelled or if a regular expression is invalid.
    static Result<std::shared_ptr<const FoundEvents>> search(const FindQuery&, const JobContext&);

    const RunPtr& run() const { return run_; }
    // The event's duration inside the time filter.
    Duration length_of(EventRef) const;

    // Collects events of the wanted names, by slot; fails if cancelled.
    static Result<std::shared_ptr<const FoundEvents>> collect(const RunPtr&, const std::vector<WantedNames>&,
                                                              const JobContext&);

    std::size_t count() const { return count_; }
    // Sum of durations, cut to the time filter. Nested events each count.
    Duration total() const { return total_; }
    const EventSet& events(std::size_t slot) const { return ranks_[slot].events; }
    bool contains(EventRef) const;
    // The nearest result after or before a place in run order, wrapping around. The place need not
    // be a result. Not valid() if nothing was found. O(lanes · log events).
    EventRef next_after(EventRef) const;
    EventRef previous_before(EventRef) const;
    EventRef first_from(RunTime) const;  // first that starts at or after t
    // Number of results before it in run order.
    std::size_t position_of(EventRef) const;

    static constexpr std::size_t kCells = 4096;
    const std::bitset<kCells>& cells() const { return cells_; }  // of the run's window: whether it touches any

private:
    friend class EventSearch;
    struct FoundLane {  // lanes with at least one result; other ids are in no set
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
    std::optional<RunRange> time_;  // the filter's time range
    std::vector<FoundRank> ranks_;  // by slot
    std::size_t count_ = 0;
    Duration total_{0};
    std::bitset<kCells> cells_;
};

using FoundEventsPtr = std::shared_ptr<const FoundEvents>;

}  // namespace core
