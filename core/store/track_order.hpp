#pragma once
// The order of events on one track, and the lanes that keep overlapping events apart.
// Files are nearly sorted per track, so sorting sets the few misfits aside, sorts those, and merges:
// close to O(n), O(n log n) at worst. Once the job is cancelled the results are of no use. Internal to core/store.

#include "core/store/staged_events.hpp"

#include <span>

namespace core {

// Rows of one track, sorted by start, then longer first, then file order.
void sort_track(const StagedTimes& times, std::vector<std::uint32_t>& rows, const JobContext&);

// Lane of each row of a sorted track: the first that is free at its start. For nested events that is the depth of
// nesting. A moment occupies 1 ns, so that two at one instant are both seen. O(n log lanes).
std::vector<std::uint32_t> assign_lanes(const StagedTimes& times, std::span<const std::uint32_t> rows,
                                        const JobContext&);

}  // namespace core
