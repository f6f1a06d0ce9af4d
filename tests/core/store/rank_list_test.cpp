#include "core/store/rank_list.hpp"

#include <doctest/doctest.h>

#include <random>

using core::RankList;
using core::RankStretch;

TEST_CASE("equal lists of ranks are one list in memory") {
    std::vector<std::int32_t> ranks;
    for (std::int32_t rank = 0; rank < 10'000; ++rank) ranks.push_back(rank);
    const RankList first = ranks;
    const RankList second = ranks;
    CHECK(&first.get() == &second.get());
    CHECK(first == second);
    CHECK(first.get() == ranks);
    CHECK(first.stretches() == std::vector<RankStretch>{{0, 1, 10'000}});
    CHECK(&RankList::of(first.stretches())->get() == &first.get());
    CHECK(&RankList::of({{5, 3, 1}})->get() == &RankList(std::vector<std::int32_t>{5}).get());
    ranks.back() = 7;
    CHECK_FALSE(RankList(ranks) == first);
    CHECK(RankList().empty());
    CHECK(RankList(std::vector<std::int32_t>()) == RankList());
}

TEST_CASE("any list is given back by its stretches") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::int32_t> ranks(random() % 40);
        const std::int32_t step = static_cast<std::int32_t>(random() % 9) - 4;
        for (std::size_t i = 0; i < ranks.size(); ++i)
            ranks[i] = random() % 4 == 0 ? static_cast<std::int32_t>(random()) : static_cast<std::int32_t>(i) * step;
        const auto again = RankList::of(RankList(ranks).stretches());
        REQUIRE(again);
        CHECK(again->get() == ranks);
    }
}

TEST_CASE("forged stretches give no list") {
    CHECK_FALSE(RankList::of({{0, 1, 0xFFFFFFFFu}}));
    CHECK_FALSE(RankList::of({{0, 1, 1U << 19}, {0, 1, 1U << 19}, {0, 0, 1}}));
    CHECK_FALSE(RankList::of({{2'000'000'000, 2'000'000'000, 2}}));
    CHECK_FALSE(RankList::of({{5, 1, 0}}));
    CHECK(RankList::of({})->empty());
}
