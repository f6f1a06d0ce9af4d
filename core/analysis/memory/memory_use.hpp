#pragma once
// How full the allocator of each GPU was, from the memory events of a rank that carry totals: the basis of
// memory-efficiency and of two checks of `health`.

#include "core/analysis/engine/analysis.hpp"

#include <map>
#include <optional>

namespace core {

struct MemoryUse {
    std::int64_t peak_allocated = 0;  // bytes
    std::int64_t reserved_at_peak = 0;  // at the first event with most allocated
    std::int64_t peak_reserved = 0;
    std::int64_t allocated_at_end = 0, reserved_at_end = 0;
    std::optional<std::int64_t> device_memory;  // absent: the trace does not say
    EventId at_peak = kNoEvent;
    // 1 - allocated / reserved; absent if nothing is reserved.
    static std::optional<double> slack(std::int64_t allocated, std::int64_t reserved);
};

// By device number, of the events that pass the filter. Empty without events that carry totals. O(events).
std::map<std::int64_t, MemoryUse> collect_memory_use(const RankView&);

}  // namespace core
