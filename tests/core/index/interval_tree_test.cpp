#include "core/index/interval_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace core;

namespace {

// Intervals as columns, and their order by start.
struct Intervals {
    std::vector<RankTime> start;
    std::vector<Duration> duration;
    std::vector<EventId> order;

    void add(std::int64_t begin, std::int64_t length) {
        order.push_back(EventId{static_cast<std::uint32_t>(start.size())});
        start.push_back(rank_time(begin));
        duration.push_back(Duration{length});
    }
    IntervalTree tree() {
        std::ranges::stable_sort(order, {}, [&](EventId e) { return start[index_of(e)]; });
        return IntervalTree(order, start, duration);
    }
    bool overlaps(EventId e, RankRange range) const {
        const RankTime begin = start[index_of(e)];
        const RankTime end = begin + duration[index_of(e)];
        if (range.empty()) return false;
        return begin == end ? range.contains(begin) : begin < range.end && end > range.begin;
    }
    std::vector<EventId> overlapping(RankRange range) const {
        std::vector<EventId> found;
        std::ranges::copy_if(order, std::back_inserter(found), [&](EventId e) { return overlaps(e, range); });
        return found;
    }
};

RankRange range_between(std::int64_t begin, std::int64_t end) { return {rank_time(begin), rank_time(end)}; }

std::vector<EventId> collected(const IntervalTree& tree, RankRange range) {
    std::vector<EventId> found;
    tree.collect_overlapping(range, found);
    return found;
}

}  // namespace

TEST_CASE("an empty tree finds nothing") {
    const IntervalTree tree;
    CHECK(collected(tree, range_between(-100, 100)).empty());
    CHECK(tree.find_span(range_between(-100, 100)) == std::pair<std::size_t, std::size_t>{0, 0});
    CHECK(tree.size() == 0);
}

TEST_CASE("ranges are half-open, and a range that contains an instant overlaps it") {
    Intervals all;
    all.add(10, 10);
    all.add(20, 0);
    all.add(20, 5);
    const IntervalTree tree = all.tree();
    CHECK(collected(tree, range_between(0, 10)).empty());
    CHECK(collected(tree, range_between(19, 20)) == std::vector{EventId{0}});
    CHECK(collected(tree, range_between(20, 21)) == std::vector{EventId{1}, EventId{2}});
    CHECK(collected(tree, range_between(21, 30)) == std::vector{EventId{2}});
    CHECK(collected(tree, range_between(15, 15)).empty());
}

TEST_CASE("a long early event is found far to its right") {
    Intervals all;
    all.add(0, 1'000'000);
    for (int i = 1; i < 10'000; ++i) all.add(i * 10, 5);
    const IntervalTree tree = all.tree();
    CHECK(collected(tree, range_between(500'000, 500'001)) == std::vector{EventId{0}});
    CHECK(tree.find_span(range_between(500'000, 500'001)).first == 0);
}

TEST_CASE("random intervals: the tree agrees with testing every interval, by start") {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
        const std::int64_t count = seed % 10 == 0 ? below(9'000) : below(300);
        const std::int64_t span = 1 + below(1 << (4 + seed % 12));
        Intervals all;
        for (std::int64_t i = 0; i < count; ++i)
            all.add(below(static_cast<std::uint64_t>(span)), below(1u << below(10)) / 2);
        const IntervalTree tree = all.tree();
        REQUIRE(tree.size() == static_cast<std::size_t>(count));
        for (int query = 0; query < 20; ++query) {
            const std::int64_t begin = below(static_cast<std::uint64_t>(span) + 40) - 20;
            const RankRange range = range_between(begin, begin + below(1u << below(10)));
            const std::vector<EventId> expected = all.overlapping(range);
            CHECK(collected(tree, range) == expected);
            const auto [first, last] = tree.find_span(range);
            if (expected.empty()) {
                CHECK(first == last);
            } else {
                CHECK(all.order[first] == expected.front());
                CHECK(std::ranges::find(all.order, expected.back()) - all.order.begin() <
                      static_cast<std::ptrdiff_t>(last));
            }
        }
    }
}
