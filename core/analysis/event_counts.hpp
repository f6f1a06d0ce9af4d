#pragma once
// How many events of a run the filter takes and how many it leaves out. Asked for like any analysis, so that it is
// counted once per filter and on the pool; it is in no table of analyses.

#include "core/analysis/engine/analysis.hpp"

namespace core {

const Analysis& event_counting();

struct EventCounts {
    std::uint64_t gpu = 0;         // of all ranks
    std::uint64_t gpu_passed = 0;
    std::uint64_t cpu = 0;         // on threads
    std::uint64_t cpu_passed = 0;
    bool operator==(const EventCounts&) const = default;
};
EventCounts counts_of(const Answer&);  // of event_counting()

}  // namespace core
