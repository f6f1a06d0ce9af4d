#include "core/store/assemble/rank_names.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("a name says a rank in the whole job, or a position by kind of parallelism") {
    const auto whole = [](std::int32_t number) { return RankPosition{{"", number}}; };
    CHECK(parse_rank_position("rank 3") == whole(3));
    CHECK(parse_rank_position("Rank_12 (python)") == whole(12));
    CHECK(parse_rank_position("trainer rank: 7 of 8") == whole(7));
    CHECK(parse_rank_position("global_rank=5") == whole(5));
    CHECK(parse_rank_position("rank[0]") == whole(0));
    CHECK(parse_rank_position("DP rank [1]") == RankPosition{{"dp", 1}});
    CHECK(parse_rank_position("PP rank 2, TP rank 0, compute") == RankPosition{{"pp", 2}, {"tp", 0}});
    CHECK(parse_rank_position("pp_rank=3 etp_rank=1") == RankPosition{{"pp", 3}, {"etp", 1}});
    CHECK(parse_rank_position("rank 9, local rank 1") == RankPosition{{"", 9}, {"local", 1}});
}

TEST_CASE("a name without a rank has no position") {
    for (const std::string_view name :
         {"", "rank", "ranks 3", "frank 3", "rank three", "rank - - 3", "rank 123456789", "python 3", "GPU 0"})
        CHECK(parse_rank_position(name).empty());
}

TEST_CASE("positions are numbered as Megatron does: tensor-parallel ranks are neighbours, stages are far apart") {
    std::vector<RankPosition> positions;
    for (const std::int32_t pp : {0, 1})
        for (const std::int32_t dp : {0, 1, 2})
            for (const std::int32_t tp : {0, 1}) positions.push_back({{"pp", pp}, {"tp", tp}, {"dp", dp}});
    const auto numbers = number_ranks(positions);
    REQUIRE(numbers);
    for (std::size_t i = 0; i < positions.size(); ++i) CHECK((*numbers)[i] == static_cast<std::int32_t>(i));
}

TEST_CASE("a stated number in the whole job decides; a position that is missing keeps its number free") {
    CHECK(number_ranks(std::vector<RankPosition>{{{"", 5}, {"local", 1}}, {{"", 2}}}) == std::vector{5, 2});
    CHECK(number_ranks(std::vector<RankPosition>{{{"pp", 0}, {"tp", 1}}, {{"pp", 1}, {"tp", 1}}}) == std::vector{1, 3});
}

TEST_CASE("positions of different kinds, and grids too large, have no numbers") {
    CHECK_FALSE(number_ranks(std::vector<RankPosition>{{{"pp", 0}}, {{"dp", 0}}}));
    CHECK_FALSE(number_ranks(std::vector<RankPosition>{{{"pp", 0}}, {{"", 1}}}));
    CHECK_FALSE(number_ranks(std::vector<RankPosition>{{{"pp", 9'999'999}, {"dp", 9'999'999}, {"tp", 9'999'999}}}));
}
