#include "core/analysis/engine/shortest_overlap.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>

using namespace core;

namespace {

RankRange range(std::int64_t begin, std::int64_t end) { return {rank_time(begin), rank_time(end)}; }

std::vector<std::uint32_t> try_all(const std::vector<RankRange>& intervals, const std::vector<RankRange>& candidates) {
    std::vector<std::uint32_t> found(intervals.size(), kNoOverlap);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const RankTime end = std::max(intervals[i].end, intervals[i].begin + Duration{1});
        for (std::uint32_t c = 0; c < candidates.size(); ++c) {
            const RankRange& candidate = candidates[c];
            if (candidate.empty() || candidate.begin >= end || intervals[i].begin >= candidate.end) continue;
            const auto rank = [&](std::uint32_t place) {
                return std::tuple(-candidates[place].length(), candidates[place].begin, place);
            };
            if (found[i] == kNoOverlap || rank(c) > rank(found[i])) found[i] = c;
        }
    }
    return found;
}

}  // namespace

TEST_CASE("the shortest overlapping interval is found, the later start among equally short ones") {
    CHECK(find_shortest_overlaps(std::vector{range(10, 20), range(20, 30), range(50, 60)},
                                 std::vector{range(0, 40), range(5, 15), range(12, 22), range(18, 21)}) ==
          std::vector<std::uint32_t>{3, 3, kNoOverlap});
    CHECK(find_shortest_overlaps(std::vector{range(10, 20)}, std::vector{range(15, 25), range(5, 15)}) ==
          std::vector<std::uint32_t>{0});
}

TEST_CASE("touching intervals do not overlap; an instant belongs to its begin; empty candidates match nothing") {
    CHECK(find_shortest_overlaps(std::vector{range(10, 10), range(10, 20), range(20, 20)},
                                 std::vector{range(0, 10), range(20, 30), range(15, 15)}) ==
          std::vector<std::uint32_t>{kNoOverlap, kNoOverlap, 1});
    CHECK(find_shortest_overlaps(std::vector{range(10, 10)}, std::vector{range(10, 12)}) ==
          std::vector<std::uint32_t>{0});
}

TEST_CASE("no interval is found among none") {
    CHECK(find_shortest_overlaps({}, std::vector{range(0, 1)}).empty());
    CHECK(find_shortest_overlaps(std::vector{range(0, 1)}, {}) == std::vector<std::uint32_t>{kNoOverlap});
}

TEST_CASE("random intervals agree with trying all") {
    std::mt19937 dice(5);
    const auto roll = [&](int most) { return std::uniform_int_distribution(0, most)(dice); };
    for (int round = 0; round < 500; ++round) {
        const auto some = [&](int most) {
            std::vector<RankRange> ranges(static_cast<std::size_t>(roll(most)));
            for (RankRange& one : ranges) {
                const int begin = roll(60);
                one = range(begin, begin + roll(20));
            }
            return ranges;
        };
        std::vector<RankRange> intervals = some(20);
        std::ranges::sort(intervals, {}, &RankRange::begin);
        const std::vector<RankRange> candidates = some(10);
        CHECK(find_shortest_overlaps(intervals, candidates) == try_all(intervals, candidates));
    }
}
