#include "core/index/rank_count.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("a rank with several captures is one rank") {
    const RankCount plain = count_ranks(std::vector<RankKey>{{0, 0}, {1, 0}, {2, 0}});
    CHECK(format_rank_count(plain) == "3 ranks");
    CHECK(format_rank_count(count_ranks(std::vector<RankKey>{{5, 0}})) == "1 rank");
    const RankCount twice = count_ranks(std::vector<RankKey>{{1, 1}, {0, 0}, {0, 1}, {1, 0}});
    CHECK(format_rank_count(twice) == "2 ranks \xC3\x97 2 captures");
    CHECK(format_rank_count(count_ranks(std::vector<RankKey>{{0, 0}, {0, 1}, {1, 0}})) == "2 ranks, 3 captures");
    CHECK(format_rank_count(count_ranks(std::vector<RankKey>{{0, 0}}), plain) == "1 of 3 ranks");
    CHECK(format_rank_count(count_ranks(std::vector<RankKey>{{0, 0}, {1, 0}}), twice) == "2 ranks, 2 of 4 captures");
    CHECK(format_rank_count(count_ranks(std::vector<RankKey>{{0, 0}}), twice) == "1 of 2 ranks, 1 of 4 captures");
    CHECK(format_rank_count(twice, twice) == format_rank_count(twice));
}
