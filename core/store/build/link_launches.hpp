#pragma once
// Which call launched which GPU work, and which arrows remain. Internal to core/store.

#include "core/store/event_columns.hpp"

namespace core {

struct LaunchLinks {
    std::vector<EventId> calls;            // rising
    std::vector<std::uint32_t> first;      // into gpu; one longer than calls
    std::vector<EventId> gpu;              // by start within a call
    std::vector<Flow> flows;               // arrows that say more than the launch links, by from
};

// By correlation first (two calls with one correlation: the first in the file), by flow arrows where a GPU
// event has none. Sets parent[gpu event] = call. gpu_events must be sorted by start. Of no
// use if the job was cancelled.
LaunchLinks build_launch_links(Staged&, const EventColumns& columns, std::span<const EventId> event_of_row,
                               std::span<const EventId> gpu_events, std::span<const EventId> flow_event,
                               const JobContext&);

}  // namespace core
