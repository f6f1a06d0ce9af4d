#pragma once
// Finds GPU work by its shape, for writers whose categories say nothing of it: the names of processes and threads (XLA,
// unitrace, converted .rpd files), the arguments of events, and arrows from launches. Internal to core/store.

#include "core/store/staged_events.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct DeviceShape {
    std::vector<DeviceThread> rows;  // by Staged::threads
    std::map<NameId, std::int32_t> devices;  // by pid, of the processes that are named after a device
    std::size_t threads = 0;  // with work that no category tells
    std::string how;  // for the user: what shows it
};

// Looks at events without a category, or with one that is not known. Threads named "Ascend Hardware" count by
// their process alone. O(events) where arguments or arrows have to tell, else O(threads).
DeviceShape find_device_shape(const Staged&);

// The processes that belong together: arrows lead from the host's to the device's. By pid, the number of its part, in
// the order of the devices; empty unless there are two parts at least, and each has one device.
std::map<NameId, std::uint32_t> group_by_device(const Staged&, const DeviceShape&);

// Steps of XLA's traces: the rows named "Steps" of the devices, whose events are named after their numbers; else the
// host's events with an argument step_num, each up to the begin of the next, as the host runs ahead of the devices.
// Empty for other writers. The text store must be closed.
std::vector<NumberedStep> find_numbered_steps(const Staged&);

}  // namespace core
