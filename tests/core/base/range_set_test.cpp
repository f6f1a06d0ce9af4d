#include "core/base/range_set.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace core;

namespace {

using Ranges = std::vector<RankRange>;
constexpr std::int64_t kEnd = 40;

RankRange range(std::int64_t begin, std::int64_t end) { return {rank_time(begin), rank_time(end)}; }

bool contains(const Ranges& ranges, std::int64_t t) {
    return std::ranges::any_of(ranges, [&](const RankRange& r) { return r.contains(rank_time(t)); });
}

Ranges random_ranges(std::mt19937& random) {
    std::uniform_int_distribution<std::int64_t> count(0, 8), begin(0, kEnd - 1), length(0, 9);
    Ranges ranges;
    for (std::int64_t i = count(random); i > 0; --i) {
        const std::int64_t from = begin(random);
        ranges.push_back(range(from, std::min(kEnd, from + length(random))));
    }
    return ranges;
}

// Sorted, not empty, not touching.
bool is_normal(const Ranges& ranges) {
    for (std::size_t i = 0; i < ranges.size(); ++i)
        if (ranges[i].empty() || (i > 0 && ranges[i - 1].end >= ranges[i].begin)) return false;
    return true;
}

}  // namespace

TEST_CASE("ranges that overlap or touch become one, and an empty one alone remains") {
    CHECK(merge_ranges(Ranges{range(5, 7), range(1, 3), range(3, 4), range(6, 9)}) == Ranges{range(1, 4), range(5, 9)});
    CHECK(merge_ranges(Ranges{range(2, 2)}) == Ranges{range(2, 2)});
    CHECK(without_empty_ranges(Ranges{range(2, 2), range(3, 4)}) == Ranges{range(3, 4)});
}

TEST_CASE("sets of ranges hold the moments that a look at each moment finds") {
    std::mt19937 random(20);
    for (int round = 0; round < 300; ++round) {
        const Ranges a = random_ranges(random), b = random_ranges(random);
        const Ranges one = merge_ranges(without_empty_ranges(a)), other = merge_ranges(without_empty_ranges(b));
        const Ranges rest = subtract_ranges(one, other), common = intersect_ranges(one, other);
        CHECK(is_normal(one));
        CHECK(is_normal(rest));
        CHECK(is_normal(common));
        std::int64_t length = 0;
        for (std::int64_t t = 0; t < kEnd; ++t) {
            CHECK(contains(one, t) == contains(a, t));
            CHECK(contains(rest, t) == (contains(a, t) && !contains(b, t)));
            CHECK(contains(common, t) == (contains(a, t) && contains(b, t)));
            length += contains(a, t) ? 1 : 0;
        }
        CHECK(total_length(one) == Duration{length});
    }
}
