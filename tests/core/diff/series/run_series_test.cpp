#include "core/diff/series/run_series.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

SeriesRun series_run(std::int64_t start, double ns) {
    return {.name = "run " + std::to_string(start), .start_ns = start, .ns = ns, .steps = 5};
}

}  // namespace

TEST_CASE("runs are ordered by their start, and those without steps are kept without a value") {
    std::vector<SeriesRun> runs{series_run(9, 500), series_run(1, 100), series_run(3, 101), series_run(2, 99),
                                series_run(8, 501), series_run(7, 499), series_run(4, 100)};
    runs.push_back({.name = "no steps", .start_ns = 5, .ns = {}, .steps = 0});
    const RunSeries series = analyse_series(runs);
    CHECK(series.runs[4].name == "no steps");
    REQUIRE(series.points.size() == 1);
    CHECK(series.with_values[series.points[0].index] == 5);
    CHECK(series.points[0].after == doctest::Approx(500));
}

TEST_CASE("the latest run is judged in words") {
    std::vector<SeriesRun> runs;
    for (int i = 0; i < 8; ++i) runs.push_back(series_run(i, 1e6 + 1000 * (i % 3)));
    CHECK(describe_latest(analyse_series(runs)).starts_with("latest run run 7: 1.00 ms, within its level of 1.00 ms"));
    runs.push_back(series_run(8, 2e6));
    CHECK(describe_latest(analyse_series(runs))
              .starts_with("latest run run 8: 2.00 ms, slower than its level of 1.00 ms"));
    CHECK(describe_latest(analyse_series({series_run(1, 5)}))
              .ends_with("too few runs before it to judge (3 of its level are needed)"));
    CHECK(describe_latest(analyse_series({})) == "no run has steps");
}

TEST_CASE("the value of a run is the median of its steps after the warm-up") {
    TraceFixture fixture;
    fixture.rank(0).step(0, 900, 0).step(900, 100, 1).step(1000, 300, 2).step(1300, 120, 3);
    const RunPtr run = run_of({fixture.build()});
    const SeriesRun measured = measure_run(*run, {}, 1);
    CHECK(*measured.ns == 120);
    CHECK(measured.steps == 3);
}
