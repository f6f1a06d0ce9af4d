#include "ui/model/go_to.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using core::Duration;
using core::RunRange;
using core::RunTime;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

core::RunPtr three_ranks() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank) {
        TraceFixture fixture;
        for (int step = 0; step < 4; ++step) {
            fixture.step(100'000 * step, 90'000, 10 + step).launch(100'000 * step + 10, 30, step + 1);
            fixture.kernel(100'000 * step + 100, 2'000, "gemm", 7, step + 1)
                .kernel(100'000 * step + 100, 500, "copy", 13);
        }
        traces.push_back(fixture.rank(rank).build());
    }
    return run_of(traces);
}

std::vector<std::string> titles(const core::Run& run, std::string_view text, RunRange view = {}) {
    std::vector<std::string> found;
    for (const ui::Destination& place : ui::find_destinations(run, view, text, 100)) found.push_back(place.title);
    return found;
}

}  // namespace

TEST_CASE("steps, ranks and tracks are found by words, whole words first") {
    const core::RunPtr run = three_ranks();
    CHECK(titles(*run, "step 12") == std::vector<std::string>{"step 12"});
    CHECK(titles(*run, "rank 2").front() == "rank 2");
    CHECK(titles(*run, "1").front() == "rank 1");
    const std::vector<ui::Destination> streams = ui::find_destinations(*run, {}, "RANK 1 stream 7", 100);
    REQUIRE(streams.size() == 1);
    CHECK(streams[0].title == "rank 1 \xC2\xB7 stream 7");
    const core::RankTrace& trace = run->rank(1).trace();
    CHECK(trace.tracks[trace.lanes[trace.find_lane(streams[0].reveal.event)].track].stream == 7);
    CHECK(streams[0].reveal.slot == 1);
    CHECK(titles(*run, "nothing").empty());
    CHECK(ui::find_destinations(*run, {}, "", 5).size() == 5);
}

TEST_CASE("the newest step is the last that every rank with steps has, over all of them") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank) {
        TraceFixture fixture;
        // Rank 1 has not finished its third step, rank 2 has none at all.
        for (int step = 0; rank < 2 && step < 3 - rank; ++step)
            fixture.step(100'000 * step + 1'000 * rank, 90'000, 10 + step);
        traces.push_back(fixture.rank(rank).kernel(0, 10, "gemm", 7).build());
    }
    CHECK(ui::find_newest_step(*run_of(traces)) == RunRange{core::run_time(100'000), core::run_time(191'000)});
    CHECK_FALSE(ui::find_newest_step(*run_of({traces.back()})).has_value());
    CHECK(ui::find_newest_step(*three_ranks()) == RunRange{core::run_time(300'000), core::run_time(390'000)});
}

TEST_CASE("a step is shown over all ranks") {
    const core::RunPtr run = three_ranks();
    const auto found = ui::find_destinations(*run, {}, "step 11", 10);
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].range);
    CHECK(found[0].range->begin - run->origin() == Duration{100'000});
    CHECK(found[0].range->length() == Duration{90'000});
}

TEST_CASE("a time counts from the start, with a sign from the middle of the view; numbers without a unit are none") {
    const core::RunPtr run = three_ranks();
    const RunRange view{run->origin() + Duration{50'000}, run->origin() + Duration{70'000}};
    const auto middle = [&](std::string_view text) {
        const auto found = ui::find_destinations(*run, view, text, 3);
        REQUIRE_FALSE(found.empty());
        REQUIRE(found[0].range);
        return (found[0].range->begin + found[0].range->length() / 2 - run->origin()).count();
    };
    CHECK(middle("150us") == 150'000);
    CHECK(middle("0.00015s") == 150'000);
    CHECK(middle("+10us") == 70'000);
    CHECK(middle("-10us") == 50'000);
    CHECK(middle("9000000s") == run->window().length().count());  // not beyond the run's end
    CHECK(middle("-9000000s") == 0);
    CHECK(titles(*run, "12", view) == std::vector<std::string>{"step 12"});
    CHECK(ui::find_destinations(*run, view, "150us", 1)[0].range->length() <= run->window().length() / 50);
}

TEST_CASE("the adjacent step is the next after the middle of the view or the last before it") {
    const core::RunPtr run = three_ranks();
    const auto begin_of = [&](std::int64_t from, std::int64_t to, bool forward) -> std::int64_t {
        const auto range =
            ui::find_step_beside(*run, {run->origin() + Duration{from}, run->origin() + Duration{to}}, forward);
        return range ? (range->begin - run->origin()).count() : -1;
    };
    CHECK(begin_of(100'000, 190'000, true) == 200'000);
    CHECK(begin_of(100'000, 190'000, false) == 0);
    CHECK(begin_of(0, 90'000, false) == -1);
    CHECK(begin_of(300'000, 390'000, true) == -1);
    CHECK(begin_of(0, 390'000, true) == 200'000);
    TraceFixture bare;
    bare.kernel(0, 10, "gemm", 7, 1);
    CHECK_FALSE(ui::find_step_beside(*run_of({bare.build()}), {}, true));
}

TEST_CASE("a place is text and back; what cannot be one is refused") {
    for (const std::string text : {"rank=3",
                                   "rank=3\xC2\xB7"
                                   "b,t=15000ns",
                                   "step=12", "t=1ns,span=2000ns", "rank=0,step=-1"}) {
        const core::Result<ui::Place> place = ui::parse_place(text);
        REQUIRE_MESSAGE(place, text);
        CHECK(ui::format_place(*place) == text);
    }
    CHECK(ui::parse_place("t=1.5ms")->time == Duration{1'500'000});
    for (const std::string text :
         {"", ",", "rank", "rank=", "step=x", "t=abc", "t=-1ms", "3", "t=1s,step=2", "span=1ms"})
        CHECK_FALSE(ui::parse_place(text));
}

TEST_CASE("a place is found or refused in words") {
    const core::RunPtr run = three_ranks();
    const auto at = ui::find_place(*run, {"2", {}, Duration{150'000}, Duration{20'000}});
    REQUIRE(at);
    CHECK(at->reveal.slot == 2);
    CHECK(at->range->begin - run->origin() == Duration{140'000});
    CHECK(at->range->length() == Duration{20'000});
    CHECK(ui::find_place(*run, {{}, 12, {}, {}})->range->begin - run->origin() == Duration{200'000});
    CHECK(ui::find_place(*run, {"7", {}, {}, {}}).error().message == "the run has no rank 7");
    CHECK(ui::find_place(*run, {{}, 99, {}, {}}).error().message == "the run has no step 99");
    const auto far = ui::find_place(*run, {{}, {}, Duration::max() / 4, Duration::max() / 4});
    REQUIRE(far);
    CHECK(far->range->length() <= run->window().length());
}
