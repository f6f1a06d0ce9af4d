#pragma once
// Which intervals overlap a range? An implicit tree over intervals that are already sorted by start:
// the sorted order itself plus, per block of 64, the latest end, and so on upwards. Nothing to balance,
// nothing half-built: a tree is complete when it exists.
//
// Query: O(log n + hits) in practice; results rise by start. Memory: n/63 times per level. Immutable.

#include "core/base/units.hpp"

#include <span>
#include <vector>

namespace core {

class IntervalTree {
public:
    IntervalTree() = default;
    // order: events sorted by (start, …); start and duration are indexed by EventId. Kept as spans:
    // they must outlive the tree (they lie in the RankTrace's blob).
    IntervalTree(std::span<const EventId> order, std::span<const RankTime> start, std::span<const Duration> duration);

    // Appends every event that overlaps [range.begin, range.end) (zero-length events: whose moment lies in it).
    void collect_overlapping(RankRange range, std::vector<EventId>& out) const;
    // Positions into order: [first, last) holds every overlapping event (and maybe others that ended before).
    std::pair<std::size_t, std::size_t> find_span(RankRange range) const;
    std::size_t size() const { return order_.size(); }

private:
    std::span<const EventId> order_;
    std::span<const RankTime> start_;
    std::span<const Duration> duration_;
    std::vector<std::vector<RankTime>> block_ends_;  // level 0: per 64 events; level k: per 64 of level k-1
};

}  // namespace core
