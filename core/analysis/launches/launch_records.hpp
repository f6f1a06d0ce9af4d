#pragma once
// The launch calls of one rank with their GPU events; the basis of `launches` and `launch-summary`.

#include "core/analysis/engine/analysis.hpp"

#include <vector>

namespace core {

struct Launch {
    EventId call;
    EventId first;           // first passing GPU event, by start
    std::int64_t events;     // number of passing GPU events
    Duration call_time;
    Duration gpu_time;       // sum over passing GPU events
    Duration delay;          // end of the call to start of `first`; negative if it began earlier
    Duration queued;         // part of the delay during which earlier work of the stream ran
    bool reversed;           // `first` began before its call: the clocks disagree
    bool overlapped;         // a graph's, whose first kernel began while the call still ran, as HIP does
};

struct Launches {
    std::vector<Launch> calls;  // by start of the call
    std::vector<Excluded> excluded;
};

// Runtime and driver calls with at least one passing GPU event in the time range. Nothing is cut: a
// call and its GPU events count whole.
Result<Launches> collect_launches(const RankView&, const JobContext&);

}  // namespace core
