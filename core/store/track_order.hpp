#pragma once
// The order of events on one track, and the rows that keep overlapping events apart.
// Files are nearly sorted per track, so sorting sets the few misfits aside, sorts those, and merges:
// close to O(n), O(n log n) at worst.

#include <cstdint>
#include <vector>

namespace core {

struct TrackKey {
    std::int64_t start_ns;
    std::int64_t duration_ns;
    std::uint32_t row;  // of the builder's staged rows: rises in file order
    std::int64_t end_ns() const { return start_ns + duration_ns; }
};

// By start, then longer first, then file order.
bool comes_before(const TrackKey& a, const TrackKey& b);
void sort_track(std::vector<TrackKey>& keys);

// Row of each event (keys sorted): the first row that is free at its start. For nested events that is the
// depth of nesting. A moment occupies 1 ns, so that two at one instant are both seen. O(n log rows).
std::vector<std::uint32_t> assign_rows(const std::vector<TrackKey>& keys);

}  // namespace core
