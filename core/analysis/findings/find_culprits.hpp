#pragma once
// Ranks that others wait for: who, what it costs the run and why, in one sentence. What findings and overview lead
// with.

#include "core/analysis/collectives/chosen_members.hpp"

#include <string>
#include <vector>

namespace core {

struct Culprit {
    std::uint32_t slot = 0;
    std::int64_t wait = 0;  // ns of all ranks that are rooted in it
    std::int64_t gain = 0;  // of it per other rank: what the run could gain
    std::string evidence;  // "last in 28 of 84 all-reduces: 7 ranks wait 1.22 s; …"
    std::vector<EventId> events;  // its arrivals that cost most, after an event that shows the cause
};

// Flagged ranks, the costliest first. Of partials that have add_members' tables; others are skipped.
std::vector<Culprit> find_culprits(std::span<const Partial* const>, const Run&);

}  // namespace core
