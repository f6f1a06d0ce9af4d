#pragma once
// Launch calls and their GPU events, and the flow arrows that remain. Internal to core/store.

#include "core/store/event_columns.hpp"

namespace core {

struct LaunchLinks {
    std::vector<EventId> calls;            // sorted
    std::vector<std::uint32_t> first;      // into gpu; one longer than calls
    std::vector<EventId> gpu;              // by start within a call
    std::vector<Flow> flows;               // arrows that repeat no launch link, sorted by from
};

// Links by correlation (two calls with one correlation: the first in the file), else by flow arrow. Sets
// parent[gpu event] = call. gpu_events must be sorted by start. Unusable if the job was cancelled.
LaunchLinks build_launch_links(Staged&, const EventColumns& columns, std::span<const EventId> event_of_row,
                               std::span<const EventId> gpu_events, std::span<const EventId> flow_event,
                               const JobContext&);

}  // namespace core
