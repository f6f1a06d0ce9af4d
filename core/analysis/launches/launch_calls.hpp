#pragma once
// Decides which host events count as launch calls, for every analysis: runtime and driver calls. If
// a rank's profiler records none (Ascend writes arrows from operators to device work), the events
// at which these arrows begin count instead.

#include "core/store/rank_trace.hpp"

#include <algorithm>

namespace core {

class LaunchCalls {
public:
    explicit LaunchCalls(const RankTrace& trace)
        : trace_(trace),
          recorded_(std::ranges::any_of(trace.launch_calls, [&](EventId call) { return is_recorded(call); })) {}

    // `call`: the parent of a GPU event.
    bool contains(EventId call) const { return !recorded_ || is_recorded(call); }

private:
    bool is_recorded(EventId call) const { return is_launch_category(trace_.category_kind(call)); }

    const RankTrace& trace_;
    bool recorded_;
};

}  // namespace core
