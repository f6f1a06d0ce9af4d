#pragma once
// Counts the events of a run that pass the filter and those that don't. Requested like an analysis,
// so it runs once per filter and on the pool, but not in the registry.

#include "core/analysis/engine/analysis.hpp"

namespace core {

const Analysis& event_counting();

struct EventCounts {
    std::uint64_t gpu = 0;         // all ranks
    std::uint64_t gpu_passed = 0;
    std::uint64_t cpu = 0;         // on threads
    std::uint64_t cpu_passed = 0;
    bool operator==(const EventCounts&) const = default;
};
EventCounts counts_of(const Answer&);  // answer of event_counting()

}  // namespace core
