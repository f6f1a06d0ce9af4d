#include "core/index/rank_count.hpp"

#include "tests/core/captures.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

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

TEST_CASE("ranks are compared within the capture that most of them have, unless captures are windows of one job") {
    const auto capture = [](int rank, std::int64_t from, int step) {
        return TraceFixture().rank(rank).step(from, 90, step).kernel(from, 50, "gemm").build();
    };
    // Rank 1 lacks the first capture; the second counts its steps anew.
    RunParts parts = run_of_captures({capture(0, 0, 4), capture(0, 5000, 4), capture(1, 5000, 4)})->parts();
    parts.ranks[2].key.capture = 1;
    const Run twice(std::move(parts));
    const ComparedSlots compared = choose_compared(twice, {0, 1, 2});
    CHECK(compared.slots == std::vector<std::size_t>{1, 2});
    CHECK(compared.left_out == 1);
    CHECK(choose_compared(twice, {0}).slots == std::vector<std::size_t>{0});
    const RunPtr windows = run_of_captures({capture(0, 0, 4), capture(0, 5000, 14)});
    CHECK(choose_compared(*windows, {0, 1}).slots == std::vector<std::size_t>{0, 1});
    CHECK(choose_compared(*windows, {0, 1}).left_out == 0);
}

TEST_CASE("where the rank is a guess, another process or correlations from the start are another run") {
    const auto capture = [](std::int64_t from, const char* pid, std::int64_t correlation) {
        return TraceFixture()
            .rank(0)
            .event(from, 5, "cudaLaunchKernel", "cuda_runtime", {pid, pid})
            .arg(Arg::Correlation, correlation)
            .kernel(from + 10, 50, "gemm", 7, correlation)
            .build();
    };
    const auto are = [](const RankTracePtr& first, const RankTracePtr& second, RankSource source) {
        RunParts parts = run_of_captures({first, second})->parts();
        for (RankSlot& rank : parts.ranks) rank.source = source;
        return are_windows(Run(std::move(parts)));
    };
    CHECK(are(capture(0, "100", 7), capture(5000, "100", 8), RankSource::Order));
    CHECK_FALSE(are(capture(0, "100", 7), capture(5000, "200", 8), RankSource::Order));
    CHECK_FALSE(are(capture(0, "100", 7), capture(5000, "100", 7), RankSource::Order));
    CHECK(are(capture(0, "100", 7), capture(5000, "200", 7), RankSource::DistributedInfo));
}
