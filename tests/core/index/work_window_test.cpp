#include "core/index/work_window.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

TEST_CASE("instants far from the work do not widen its window, only the run's own") {
    const RunPtr run = run_of({TraceFixture()
                                   .cpu(100, 50, "op")
                                   .kernel(200, 300, "k")
                                   .event(9000, 0, "Record Window End", "Trace", {"", ""})
                                   .phase(Phase::Instant)
                                   .cpu(8000, 0, "nothing")
                                   .build(),
                               TraceFixture().kernel(50, 10, "k").build()});
    CHECK(find_work_window(*run) == RunRange{run_time(50), run_time(500)});
    CHECK(run->window().end == run_time(9000));
}

TEST_CASE("a run of instants only uses the run's window") {
    const RunPtr run = run_of({TraceFixture().cpu(100, 0, "a").cpu(300, 0, "b").build()});
    CHECK(find_work_window(*run) == run->window());
}

namespace {

// `count` events of 10 ns, 20 ns apart.
TraceFixture& add_burst(TraceFixture& fixture, std::int64_t begin, int count, int thread = 100) {
    for (int i = 0; i < count; ++i) fixture.cpu(begin + 20 * i, 10, "op", thread);
    return fixture;
}

}  // namespace

TEST_CASE("a few stray events far away do not widen the window") {
    TraceFixture fixture;
    add_burst(fixture, 1'000'000, 500);
    for (const int thread : {100, 101}) fixture.cpu(0, 5, "stray", thread).cpu(5'000'000, 7, "stray", thread);
    const RunPtr run = run_of({fixture.build()});
    CHECK(find_work_window(*run) == RunRange{run_time(1'000'000), run_time(1'009'990)});
    CHECK(run->window() == RunRange{run_time(0), run_time(5'000'007)});
}

TEST_CASE("distant events are work if they are not few") {
    TraceFixture fixture;
    add_burst(fixture, 0, 20);
    add_burst(fixture, 1'000'000'000, 500);
    CHECK(find_work_window(*run_of({fixture.build()})) == RunRange{run_time(0), run_time(1'000'009'990)});
    CHECK(find_work_window(*run_of({TraceFixture().cpu(0, 1, "a").cpu(1'000'000, 1, "b").build()})) ==
          RunRange{run_time(0), run_time(1'000'001)});
}

TEST_CASE("a few events near the work are part of it") {
    TraceFixture fixture;
    add_burst(fixture, 100'000, 500);
    fixture.cpu(20'000, 10, "early");
    CHECK(find_work_window(*run_of({fixture.build()})).begin == run_time(20'000));
}

TEST_CASE("an event that reaches from far away into the work is not a stray") {
    TraceFixture fixture;
    add_burst(fixture, 1'000'000, 500, 101);
    fixture.cpu(0, 1'000'500, "all of it");
    CHECK(find_work_window(*run_of({fixture.build()})).begin == run_time(0));
}
