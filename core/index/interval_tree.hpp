#pragma once
// Finds the intervals that overlap a range. An implicit tree over intervals sorted by start: the
// sorted order plus the latest end per block of 64, and so on upwards. Complete once constructed;
// immutable. Query: O(log n + hits) in practice, results sorted by start. Memory: n/63 times per
// level.

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
    // order: events sorted by (start, …); start and duration are indexed by EventId. Stored as
    // spans, which must outlive the tree (they point into the RankTrace's blob).
    IntervalTree(std::span<const EventId> order, std::span<const RankTime> start, std::span<const Duration> duration);

    // Converts to and from sections of an index file, over the same columns.
    void collect_sections(SectionList&) const;
    static std::optional<IntervalTree> from_sections(const Blob&, std::span<const EventId> order,
                                                     std::span<const RankTime> start,
                                                     std::span<const Duration> duration);

    // Appends every event that overlaps [range.begin, range.end), including instants inside it. An
    // empty range overlaps nothing.
    void collect_overlapping(RankRange range, std::vector<EventId>& out) const;
    // Positions in order: [first, last) contains every overlapping event, and maybe others that
    // ended before; first itself overlaps, or first == last if none does.
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

    Values<RankTime> block_starts_;          // first event of every 64
    Values<RankTime> block_ends_;            // level 0: per 64 events; then level k: per 64 of level k-1
    std::vector<std::size_t> level_begins_;  // in block_ends_, then the end of the last level
};

}  // namespace core
