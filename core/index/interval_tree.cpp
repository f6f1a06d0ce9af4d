#include "core/index/interval_tree.hpp"

#include "core/store/sections.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kFanOut = 64;

std::size_t blocks_of(std::size_t count) { return (count + kFanOut - 1) / kFanOut; }

// Start of each level over this many events, then the end of the last level; empty for no events.
std::vector<std::size_t> find_level_begins(std::size_t events) {
    std::vector<std::size_t> begins;
    if (events == 0) return begins;
    begins.push_back(0);
    for (std::size_t blocks = blocks_of(events);; blocks = blocks_of(blocks)) {
        begins.push_back(begins.back() + blocks);
        if (blocks == 1) return begins;
    }
}

}  // namespace

IntervalTree::IntervalTree(std::span<const EventId> order, std::span<const RankTime> start,
                           std::span<const Duration> duration)
    : order_(order), start_(start), duration_(duration), level_begins_(find_level_begins(order.size())) {
    if (order.empty()) return;
    std::vector<RankTime> starts(blocks_of(order.size()));
    std::vector<RankTime> ends(level_begins_.back(), RankTime::min());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t e = index_of(order[i]);
        if (i % kFanOut == 0) starts[i / kFanOut] = start[e];
        ends[i / kFanOut] = std::max(ends[i / kFanOut], start[e] + duration[e]);
    }
    for (std::size_t level = 1; level < levels(); ++level) {
        const std::size_t below = level_begins_[level - 1];
        for (std::size_t i = below; i < level_begins_[level]; ++i) {
            RankTime& end = ends[level_begins_[level] + (i - below) / kFanOut];
            end = std::max(end, ends[i]);
        }
    }
    block_starts_ = Values(std::move(starts));
    block_ends_ = Values(std::move(ends));
}

void IntervalTree::collect_sections(SectionList& list) const {
    list.add(section::kTreeStarts, block_starts_.all());
    list.add(section::kTreeEnds, block_ends_.all());
}

std::optional<IntervalTree> IntervalTree::from_sections(const Blob& blob, std::span<const EventId> order,
                                                        std::span<const RankTime> start,
                                                        std::span<const Duration> duration) {
    IntervalTree tree;
    tree.order_ = order;
    tree.start_ = start;
    tree.duration_ = duration;
    tree.level_begins_ = find_level_begins(order.size());
    tree.block_starts_ = Values<RankTime>::lent(blob.section<RankTime>(section::kTreeStarts));
    tree.block_ends_ = Values<RankTime>::lent(blob.section<RankTime>(section::kTreeEnds));
    const std::size_t ends = tree.level_begins_.empty() ? 0 : tree.level_begins_.back();
    const bool agree = tree.block_starts_.size() == blocks_of(order.size()) && tree.block_ends_.size() == ends;
    return agree ? std::optional(std::move(tree)) : std::nullopt;
}

bool IntervalTree::overlaps(std::size_t position, RankRange range) const {
    const std::size_t e = index_of(order_[position]);
    const RankTime end = start_[e] + duration_[e];
    return start_[e] < range.end && (end > range.begin || start_[e] == range.begin);
}

std::size_t IntervalTree::starts_before(RankTime t) const {
    const auto block =
        static_cast<std::size_t>(std::ranges::lower_bound(block_starts_.all(), t) - block_starts_.all().begin());
    if (block == 0) return 0;
    std::size_t low = (block - 1) * kFanOut;
    std::size_t high = std::min(block * kFanOut, order_.size());
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (start_[index_of(order_[middle])] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Visits the descendants of one block of a level, up to position `last`.
void IntervalTree::collect_block(std::size_t level, std::size_t block, std::size_t last, RankRange range,
                                 std::vector<EventId>& out) const {
    std::size_t width = kFanOut;  // events below one block of this level
    for (std::size_t k = 0; k < level; ++k) width *= kFanOut;
    if (block * width >= last || block_ends(level)[block] < range.begin) return;
    if (level > 0) {
        const std::size_t children = std::min((block + 1) * kFanOut, block_ends(level - 1).size());
        for (std::size_t c = block * kFanOut; c < children; ++c) collect_block(level - 1, c, last, range, out);
        return;
    }
    for (std::size_t i = block * kFanOut; i < std::min((block + 1) * kFanOut, last); ++i) {
        if (overlaps(i, range)) out.push_back(order_[i]);
    }
}

std::size_t IntervalTree::find_first(std::size_t level, std::size_t block, std::size_t last, RankRange range) const {
    if (block_ends(level)[block] < range.begin) return last;
    const std::size_t children = level > 0 ? block_ends(level - 1).size() : last;
    for (std::size_t c = block * kFanOut; c < std::min((block + 1) * kFanOut, children); ++c) {
        if (level > 0) {
            const std::size_t found = find_first(level - 1, c, last, range);
            if (found < last) return found;
        } else if (overlaps(c, range)) {
            return c;
        }
    }
    return last;
}

void IntervalTree::collect_overlapping(RankRange range, std::vector<EventId>& out) const {
    if (range.empty() || order_.empty()) return;
    collect_block(levels() - 1, 0, starts_before(range.end), range, out);
}

std::pair<std::size_t, std::size_t> IntervalTree::find_span(RankRange range) const {
    if (range.empty() || order_.empty()) return {0, 0};
    const std::size_t last = starts_before(range.end);
    return {find_first(levels() - 1, 0, last, range), last};
}

std::size_t IntervalTree::resident_bytes() const { return block_starts_.size_bytes() + block_ends_.size_bytes(); }

}  // namespace core
