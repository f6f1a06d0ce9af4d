#pragma once
// What an area of time holds, over all ranks that the filter lets through: how many events, which classes were busy,
// the names that took longest. O(events in the area); for the pool.

#include "core/query/selection.hpp"

namespace core {

struct AreaQuery {
    RunPtr run;
    RunRange range;
    Filter filter;
    std::vector<SelectionPtr> selections;  // by slot, of this filter; one that is null is built when it is needed
};

struct NameTotal {
    EventRef example;      // an event of this name
    std::size_t count = 0;
    Duration total{0};     // as far as they lie in the area
};

struct AreaSummary {
    std::size_t events = 0;             // that overlap the area, on CPU and GPU
    std::size_t gpu_events = 0;
    ClassTimes times;                   // of the GPU, the sum over the ranks
    std::vector<NameTotal> longest;     // at most three, longest first: GPU events, without any CPU events
};

Result<AreaSummary> summarize_area(const AreaQuery&, const JobContext&);

}  // namespace core
