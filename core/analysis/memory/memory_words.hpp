#pragma once
// One sentence on the peak of a run's memory and on the place that allocated most of it.

#include "core/analysis/memory/device_memory.hpp"
#include "core/analysis/memory/memory_changes.hpp"

#include <string>

namespace core {

// Live allocations after the first `count` changes, by site, largest first.
MemorySites find_snapshot_sites(const RankTrace&, const DeviceMemory&, std::size_t count);

// "31 % of it (1.50 GiB) allocated in forward (model.py:54)", the largest site that is known; empty: none is.
std::string describe_top_site(const MemorySites&, std::string_view whole = "it");

// "GPU 0 of rank 3 peaks at 5.20 GiB in use, 31 % of it …", of the GPU with most in use. Empty if no rank says.
Result<std::string> describe_memory_peak(const Run&, const JobContext&);

}  // namespace core
