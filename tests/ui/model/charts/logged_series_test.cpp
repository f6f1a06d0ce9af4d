#include "ui/model/charts/logged_series.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace core::testing;

namespace {

core::RunPtr run_with_log(std::vector<std::int64_t> times_ms, std::int64_t flops_per_s = -1) {
    TraceFixture fixture;
    core::RankInfo& info = fixture.rank(0).info();
    info.path = "logs/train.log";
    for (const std::int64_t ms : times_ms)
        info.training.push_back(
            {.last = std::ssize(info.training) + 1, .duration_ns = ms * 1'000'000, .flops_per_s = flops_per_s});
    return run_of({fixture.build()});
}

}  // namespace

TEST_CASE("a run without a training log has no series") { CHECK_FALSE(ui::find_logged_series(*run_with_log({}))); }

TEST_CASE("the series of a log has its median, and its top leaves a slow first line out") {
    std::vector<std::int64_t> times(99, 800);
    times.insert(times.begin(), 60'000);
    const auto series = ui::find_logged_series(*run_with_log(times, 412'000'000'000'000));
    REQUIRE(series);
    CHECK(series->median == 800e6);
    CHECK(series->greatest == 60'000e6);
    CHECK(series->top == 1'200e6);
    CHECK(series->drawn.size() == 100);
    CHECK(series->describe() == "of 100 lines, 800 ms to 1.00 min; 412 TFLOP/s per GPU; train.log");
}

TEST_CASE("of a long log the longest lines are drawn, a bounded number of them") {
    std::vector<std::int64_t> times(50'000, 10);
    times[33'333] = 99;
    const auto series = ui::find_logged_series(*run_with_log(times));
    REQUIRE(series);
    CHECK(series->drawn.size() <= 4'096);
    CHECK(std::ranges::find(series->drawn, 33'333U) != series->drawn.end());
}
