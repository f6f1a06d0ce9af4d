#pragma once
// The next, previous and longest event with the name of a given event, skipping events the filter
// excludes. O(events of the ranks visited); run on the pool.

#include "core/query/selection.hpp"

namespace core {

enum class Occurrence : std::uint8_t {
    Next,                // on the same track; after its last event the first of the next track, then
    Previous,            // the next rank, wrapping around. From a GPU event only to GPU events.
    Longest,             // of all ranks; ties: the first
    LongestOfWorstRank,  // of the rank with the largest total for the name
};

struct OccurrenceQuery {
    RunPtr run;
    EventRef from;
    Occurrence which = Occurrence::Next;
    Filter filter = {};
    std::vector<SelectionPtr> selections = {};  // by slot, for this filter; null: built on demand
};

// `from` itself if it is the only one; not valid() if none passes the filter.
Result<EventRef> find_occurrence(const OccurrenceQuery&, const JobContext&);

}  // namespace core
