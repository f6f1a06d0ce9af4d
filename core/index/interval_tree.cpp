#include "core/index/interval_tree.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kFanOut = 64;

std::size_t blocks_of(std::size_t count) { return (count + kFanOut - 1) / kFanOut; }

}  // namespace

IntervalTree::IntervalTree(std::span<const EventId> order, std::span<const RankTime> start,
                           std::span<const Duration> duration)
    : order_(order), start_(start), duration_(duration) {
    if (order.empty()) return;
    std::vector<RankTime>& ends = block_ends_.emplace_back(blocks_of(order.size()), RankTime::min());
    block_starts_.resize(ends.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t e = index_of(order[i]);
        if (i % kFanOut == 0) block_starts_[i / kFanOut] = start[e];
        ends[i / kFanOut] = std::max(ends[i / kFanOut], start[e] + duration[e]);
    }
    while (block_ends_.back().size() > 1) {
        const std::vector<RankTime>& below = block_ends_.back();
        std::vector<RankTime> level(blocks_of(below.size()), RankTime::min());
        for (std::size_t i = 0; i < below.size(); ++i) level[i / kFanOut] = std::max(level[i / kFanOut], below[i]);
        block_ends_.push_back(std::move(level));
    }
}

bool IntervalTree::overlaps(std::size_t position, RankRange range) const {
    const std::size_t e = index_of(order_[position]);
    const RankTime end = start_[e] + duration_[e];
    return start_[e] < range.end && (end > range.begin || start_[e] == range.begin);
}

std::size_t IntervalTree::starts_before(RankTime t) const {
    const auto block = static_cast<std::size_t>(std::ranges::lower_bound(block_starts_, t) - block_starts_.begin());
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

// Visits what is below one block of a level, as far as position `last`.
void IntervalTree::collect_block(std::size_t level, std::size_t block, std::size_t last, RankRange range,
                                 std::vector<EventId>& out) const {
    std::size_t width = kFanOut;  // events below one block of this level
    for (std::size_t k = 0; k < level; ++k) width *= kFanOut;
    if (block * width >= last || block_ends_[level][block] < range.begin) return;
    if (level > 0) {
        const std::size_t children = std::min((block + 1) * kFanOut, block_ends_[level - 1].size());
        for (std::size_t c = block * kFanOut; c < children; ++c) collect_block(level - 1, c, last, range, out);
        return;
    }
    for (std::size_t i = block * kFanOut; i < std::min((block + 1) * kFanOut, last); ++i) {
        if (overlaps(i, range)) out.push_back(order_[i]);
    }
}

std::size_t IntervalTree::find_first(std::size_t level, std::size_t block, std::size_t last, RankRange range) const {
    if (block_ends_[level][block] < range.begin) return last;
    const std::size_t children = level > 0 ? block_ends_[level - 1].size() : last;
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
    collect_block(block_ends_.size() - 1, 0, starts_before(range.end), range, out);
}

std::pair<std::size_t, std::size_t> IntervalTree::find_span(RankRange range) const {
    if (range.empty() || order_.empty()) return {0, 0};
    const std::size_t last = starts_before(range.end);
    return {find_first(block_ends_.size() - 1, 0, last, range), last};
}

std::size_t IntervalTree::resident_bytes() const {
    std::size_t times = block_starts_.capacity();
    for (const std::vector<RankTime>& level : block_ends_) times += level.capacity();
    return times * sizeof(RankTime);
}

}  // namespace core
