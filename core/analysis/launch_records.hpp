#pragma once
// The launch calls of one rank with the GPU events they started: the ground of `launches` and `launch-summary`.

#include "core/analysis/engine/analysis.hpp"

#include <vector>

namespace core {

struct Launch {
    EventId call;
    EventId first;           // of its GPU events that pass, by start
    std::int64_t events;     // how many pass
    Duration call_time;
    Duration gpu_time;       // sum over those that pass
    Duration delay;          // from the end of the call to the start of `first`; negative if it began before
    Duration queued;         // of the delay: until the earlier work of the stream of `first` had ended
    bool reversed;           // `first` began before its call did: the two clocks disagree
};

struct Launches {
    std::vector<Launch> calls;  // by start of the call
    std::vector<Excluded> excluded;
};

// Runtime and driver calls of which at least one GPU event passes and overlaps the time range. Nothing is cut: a
// call and its GPU events count whole.
Result<Launches> collect_launches(const RankView&, const JobContext&);

}  // namespace core
