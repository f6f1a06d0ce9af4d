#include "core/analysis/engine/shortest_overlap.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace core {
namespace {

// Latest ends of the open intervals as a tree of maxima.
class OpenEnds {
public:
    explicit OpenEnds(std::span<const RankRange> intervals)
        : leaves_(std::bit_ceil(std::max<std::size_t>(intervals.size(), 1))), latest_(2 * leaves_, RankTime::min()) {
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            const RankRange& interval = intervals[i];
            latest_[leaves_ + i] = interval.empty() ? interval.begin + Duration{1} : interval.end;
        }
        for (std::size_t node = leaves_ - 1; node > 0; --node) update(node);
    }

    // Calls take(i) for every open interval among the first `count` that ends after t, and closes it.
    template <class Take>
    void consume_ending_after(RankTime t, std::size_t count, const Take& take) {
        visit(1, 0, leaves_, t, count, take);
    }

private:
    void update(std::size_t node) { latest_[node] = std::max(latest_[2 * node], latest_[2 * node + 1]); }

    template <class Take>
    void visit(std::size_t node, std::size_t first, std::size_t width, RankTime t, std::size_t count,
               const Take& take) {
        if (first >= count || latest_[node] <= t) return;
        if (width == 1) {
            latest_[node] = RankTime::min();
            return take(first);
        }
        visit(2 * node, first, width / 2, t, count, take);
        visit(2 * node + 1, first + width / 2, width / 2, t, count, take);
        update(node);
    }

    std::size_t leaves_;
    std::vector<RankTime> latest_;  // node 1 is the root; the leaves are the intervals
};

}  // namespace

std::vector<std::uint32_t> find_shortest_overlaps(std::span<const RankRange> intervals,
                                                  std::span<const RankRange> candidates) {
    std::vector<std::uint32_t> order(candidates.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        const auto key = [&](std::uint32_t i) { return std::tuple(candidates[i].length(), candidates[i].begin, i); };
        const auto [length_a, begin_a, place_a] = key(a);
        const auto [length_b, begin_b, place_b] = key(b);
        return std::tuple(length_a, begin_b, place_b) < std::tuple(length_b, begin_a, place_a);
    });
    std::vector<std::uint32_t> found(intervals.size(), kNoOverlap);
    OpenEnds open(intervals);
    for (const std::uint32_t candidate : order) {
        const RankRange& range = candidates[candidate];
        if (range.empty()) continue;
        const auto end = std::ranges::lower_bound(intervals, range.end, {}, &RankRange::begin);
        open.consume_ending_after(range.begin, static_cast<std::size_t>(end - intervals.begin()),
                                  [&](std::size_t i) { found[i] = candidate; });
    }
    return found;
}

}  // namespace core
