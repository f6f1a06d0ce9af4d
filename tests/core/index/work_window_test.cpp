#include "core/index/work_window.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

TEST_CASE("moments far from the work do not widen its window, the run's own window keeps them") {
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

TEST_CASE("a run of nothing but moments shows them all") {
    const RunPtr run = run_of({TraceFixture().cpu(100, 0, "a").cpu(300, 0, "b").build()});
    CHECK(find_work_window(*run) == run->window());
}
