#pragma once
// An allocation that failed in the history of a memory snapshot, explained by what was in use and reserved then. The
// basis of the table out_of_memory of memory-snapshot and of the finding of that name.

#include "core/analysis/memory/device_memory.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

struct FailedAllocation {
    std::int64_t asked = 0;
    std::optional<std::int64_t> device_free;  // what the device had left, if it was recorded
    std::int64_t in_use = 0;                  // as asked for
    std::int64_t reserved = 0;
    std::int64_t free_in_reserved = 0;  // less the blocks in use, each rounded up
    std::int64_t largest_hole = 0;      // between blocks of a segment
    std::string_view site;
    std::string most_in_use;  // "31 % of what is in use (1.50 GiB) allocated in …"; empty: no site is known
    std::string_view why;  // what these numbers say
};

// O(history).
FailedAllocation explain_failure(const RankTrace&, const DeviceMemory&, EventId failure);

}  // namespace core
