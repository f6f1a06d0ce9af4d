#pragma once
// Which intervals overlap a range? An implicit tree over intervals that are already sorted by start:
// the sorted order itself plus, per block of 64, the latest end, and so on upwards. Nothing to balance,
// nothing half-built: a tree is complete when it exists.
//
// Query: O(log n + hits) in practice; results rise by start. Memory: n/63 times per level. Immutable.

#include "core/base/units.hpp"
#include "core/store/blob.hpp"
#include "core/store/values.hpp"

#include <optional>
#include <span>
#include <vector>

namespace core {

class IntervalTree {
public:
    IntervalTree() = default;
    // order: events sorted by (start, …); start and duration are indexed by EventId. Kept as spans:
    // they must outlive the tree (they lie in the RankTrace's blob).
    IntervalTree(std::span<const EventId> order, std::span<const RankTime> start, std::span<const Duration> duration);

    // As sections of an index file and back, over the same columns.
    void collect_sections(SectionList&) const;
    static std::optional<IntervalTree> from_sections(const Blob&, std::span<const EventId> order,
                                                     std::span<const RankTime> start,
                                                     std::span<const Duration> duration);

    // Appends every event that overlaps [range.begin, range.end) (zero-length events: whose moment lies in it).
    // An empty range overlaps nothing.
    void collect_overlapping(RankRange range, std::vector<EventId>& out) const;
    // Positions into order: [first, last) holds every overlapping event (and maybe others that ended before);
    // first is itself overlapping, or equal to last if nothing is.
    std::pair<std::size_t, std::size_t> find_span(RankRange range) const;
    std::size_t size() const { return order_.size(); }
    std::size_t resident_bytes() const;

private:
    bool overlaps(std::size_t position, RankRange range) const;
    std::size_t starts_before(RankTime t) const;  // how many
    void collect_block(std::size_t level, std::size_t block, std::size_t last, RankRange range,
                       std::vector<EventId>& out) const;
    std::size_t find_first(std::size_t level, std::size_t block, std::size_t last, RankRange range) const;

    std::span<const EventId> order_;
    std::span<const RankTime> start_;
    std::span<const Duration> duration_;
    std::size_t levels() const { return level_begins_.empty() ? 0 : level_begins_.size() - 1; }
    std::span<const RankTime> block_ends(std::size_t level) const {
        return block_ends_.all().subspan(level_begins_[level], level_begins_[level + 1] - level_begins_[level]);
    }

    Values<RankTime> block_starts_;          // of the first event of every 64
    Values<RankTime> block_ends_;            // level 0: per 64 events; then level k: per 64 of level k-1
    std::vector<std::size_t> level_begins_;  // in block_ends_, and where the last level ends
};

}  // namespace core
