#include "core/session/run_stages.hpp"

#include "core/collectives/waits.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <thread>

using namespace core;
using core::testing::TraceFixture;

namespace {

RunPtr run_of_two_captures() {
    const auto capture = [](std::int64_t begin) {
        TraceFixture fixture;
        fixture.rank(0).kernel(begin, 1'000'000, "gemm");
        return fixture.build();
    };
    return core::testing::run_of_captures({capture(0), capture(90'000'000)});
}

}  // namespace

TEST_CASE("a run is cut once, and without the cut it is the same run as before") {
    const RunPtr run = run_of_two_captures();
    RunWithoutGaps stage;
    CHECK(stage.of(run, false) == run);
    CHECK(stage.gaps().empty());
    const RunPtr cut = stage.of(run, true);
    CHECK(cut != run);
    CHECK(stage.gaps().size() == 1);
    CHECK(stage.of(run, false) == run);
    CHECK(stage.gaps().empty());
    CHECK(stage.of(run, true) == cut);
    CHECK(stage.of(run_of_two_captures(), true) != cut);
    CHECK(stage.of(nullptr, true) == nullptr);
}

TEST_CASE("a run that isn't matched changes its clocks on the pool, and stays as it is until then") {
    JobPool pool(1);
    const RunPtr run = run_of_two_captures();
    RunOnClocks stage;
    CHECK(stage.of(run, ClockChoice::Auto, nullptr) == run);
    CHECK(stage.of(run, ClockChoice::Aligned, nullptr) == run);
    CHECK_FALSE(run->derived().find<MatchedRun>());
    CHECK(stage.of(run, ClockChoice::Aligned, &pool) == run);
    while (!run->derived().find<MatchedRun>()) {
        std::this_thread::yield();
        (void)stage.of(run, ClockChoice::Aligned, &pool);
    }
    const RunPtr aligned = stage.of(run, ClockChoice::Aligned, nullptr);
    REQUIRE(aligned);
    CHECK(has_same_clocks(*aligned, *with_clocks(run, ClockChoice::Aligned)));
    CHECK(stage.of(run, ClockChoice::Auto, nullptr) == run);
    CHECK(stage.of(run, ClockChoice::Aligned, nullptr) == aligned);
    CHECK(stage.of(nullptr, ClockChoice::Aligned, &pool) == nullptr);
}

TEST_CASE("a run without gone ranks passes as it is") {
    const RunPtr run = run_of_two_captures();
    PresentRanks stage;
    const std::uint64_t lost = 0;
    CHECK(stage.of(run, lost) == run);
    CHECK(stage.of(run, lost + 1) == run);
    CHECK(stage.of(nullptr, lost + 1) == nullptr);
}
