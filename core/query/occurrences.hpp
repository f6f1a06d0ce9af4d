#pragma once
// Other events of an event's name: the next and the one before it, and the longest. Events that the filter leaves out
// are passed over. O(events of the ranks looked at); for the pool.

#include "core/query/selection.hpp"

namespace core {

enum class Occurrence : std::uint8_t {
    Next,                // on the same track of the rank; after its last the first on the track that follows, over
    Previous,            //   the rank's tracks, then the next rank's, and round. A GPU event's are GPU events.
    Longest,             // of all ranks; of equally long ones the first
    LongestOfWorstRank,  // of the rank on which events of the name take the most time in all
};

struct OccurrenceQuery {
    RunPtr run;
    EventRef from;
    Occurrence which = Occurrence::Next;
    Filter filter = {};
    std::vector<SelectionPtr> selections = {};  // by slot, of this filter; one that is null is built when it is needed
};

// `from` itself if it is the only one; not valid() if the filter leaves none.
Result<EventRef> find_occurrence(const OccurrenceQuery&, const JobContext&);

}  // namespace core
