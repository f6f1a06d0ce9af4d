#include "core/analysis/parallelism/schedule_bubble.hpp"

#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

ScheduleOp op_of(std::uint32_t stage, std::uint32_t type, std::int64_t begin, std::int64_t end) {
    return {.slot = stage,
            .event = EventId{0},
            .dp = 0,
            .stage = static_cast<std::int32_t>(stage),
            .step = 1,
            .sequence = 0,
            .chunk = 0,
            .type = type,
            .begin = begin,
            .end = end,
            .transfer = 0,
            .joins = false};
}

// Stage 1 takes twice as long for each of four microbatches.
RunPtr two_stages() {
    TraceFixture first, second;
    for (int m = 0; m < 4; ++m) {
        first.event(1'000 * m, 1'000, "forward", "", {"0", "0"});
        second.event(1'000 + 2'000 * m, 2'000, "forward", "", {"1", "0"});
    }
    return run_of({first.rank(0).build(), second.rank(1).build()});
}

}  // namespace

TEST_CASE("waiting for partners is separate from transfer and from idle time") {
    Schedule schedule;
    schedule.types = {"forward-compute", "forward-recv"};
    schedule.stages = 2;
    schedule.ops = {op_of(0, 0, 0, 100), op_of(1, 1, 20, 130), op_of(1, 0, 140, 200)};
    schedule.ops[1].joins = true;
    schedule.ops[1].transfer = 30;
    const std::vector<StageBubble> found = measure_bubbles(schedule);
    REQUIRE(found.size() == 2);
    REQUIRE(found[1].parts);
    CHECK(found[1].duration == 200);
    CHECK(found[1].parts->busy == 60);
    CHECK(found[1].parts->receive_wait == 80);  // 20 to 100; the transfer ends at 130
    CHECK(found[1].parts->idle == 30);          // 0 to 20, 130 to 140
    CHECK(found[0].parts->idle == 100);
    CHECK(found[0].microbatches == 1);
    schedule.overlapping = {1};
    CHECK_FALSE(measure_bubbles(schedule)[1].parts);
}

TEST_CASE("the analysis pipeline reads timelines of a schedule, and fails none of its sums") {
    const Answer answer = answer_of(*two_stages(), "pipeline");
    const Table& table = answer.main();
    REQUIRE(table.rows() == 2);
    const auto number = [&](std::size_t row, const char* column) {
        return table.integer(row, table.find_column(column));
    };
    CHECK(number(0, "duration") == 9'000);
    CHECK(number(0, "busy") == 4'000);
    CHECK(number(0, "bubble") == 5'000);
    CHECK(number(1, "busy") == 8'000);
    CHECK(number(1, "bubble") == 1'000);
    CHECK(number(1, "microbatches") == 4);
    CHECK(number(1, "stage") == 1);
    CHECK(table.number(1, table.find_column("theory")) == doctest::Approx(0.2));
    CHECK(answer.find("work")->rows() == 8);
}

TEST_CASE("a real timeline of one job has a bubble, and one of two jobs has none") {
    if (!corpus_is_here()) return;
    const auto open = [](const char* name) {
        LoadProgress progress;
        const std::filesystem::path paths[] = {corpus_folder() / "MegatronApp/megascan_pp4_iter10" / name};
        const Result<RunPtr> run = load_run(paths, {}, progress, {});
        REQUIRE(run);
        return *run;
    };
    const Answer one = answer_of(*open("data-1-pipeline-4-tensor-1-pp-aggregated-iter10.json"), "pipeline");
    REQUIRE(one.main().rows() == 4);
    for (std::size_t row = 0; row < 4; ++row) {
        const std::size_t bubble = one.main().find_column("bubble"), busy = one.main().find_column("busy"),
                          duration = one.main().find_column("duration");
        CHECK(one.main().integer(row, bubble) > 0);
        CHECK(one.main().integer(row, bubble) + one.main().integer(row, busy) <= one.main().integer(row, duration));
        CHECK(one.main().integer(row, one.main().find_column("stages")) == 4);
    }
    const Answer two = answer_of(*open("merged_trace.json"), "pipeline");
    for (std::size_t row = 0; row < two.main().rows(); ++row)
        CHECK(two.main().absent(row, two.main().find_column("bubble")));
}
