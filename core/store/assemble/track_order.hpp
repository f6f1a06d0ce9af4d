#pragma once
// Sorts the events of one track and assigns overlapping events to lanes. Files are nearly sorted
// per track: the few misfits are removed, sorted and merged back, close to O(n), O(n log n) at
// worst. Results are unusable once the job is cancelled. Internal to core/store.

#include "core/store/staged_events.hpp"

#include <span>

namespace core {

// Rows of one track, sorted by start, then longer first, then file order.
void sort_track(const StagedTimes& times, std::vector<std::uint32_t>& rows, const JobContext&);

// Lane of each row of a sorted track: the first one free at its start, which for nested events is the nesting
// depth. An instant occupies 1 ns, so two at one time are both visible. O(n log lanes).
std::vector<std::uint32_t> assign_lanes(const StagedTimes& times, std::span<const std::uint32_t> rows,
                                        const JobContext&);

}  // namespace core
