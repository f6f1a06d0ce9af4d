#pragma once
// Work launched but not yet started, per stream; the basis of `queue-length`.

#include "core/analysis/engine/analysis.hpp"

#include <map>
#include <vector>

namespace core {

struct QueueChange {
    RankTime time;
    std::int64_t by;  // +1 at the start of a call, −1 at the start of its first GPU event on the stream
};

struct LaunchQueue {
    std::int64_t at_begin = 0;         // launched before the trace began, started within it
    std::vector<QueueChange> changes;  // by time
    std::vector<RankTime> calls;       // starts of the calls, sorted
    RankTime last_start{};             // last start of GPU events with a known call
    // From the first call to the last GPU start; empty without a known call.
    RankRange window() const { return calls.empty() ? RankRange{} : RankRange{calls.front(), last_start}; }
};

struct LaunchQueues {
    std::map<std::int64_t, LaunchQueue> by_stream;  // merges streams of equal number on several devices
    std::vector<Excluded> excluded;
};

// events: GPU events of the trace by start. One entry per call and stream.
Result<LaunchQueues> collect_launch_queues(const RankTrace&, std::span<const EventId> events, const JobContext&);

}  // namespace core
