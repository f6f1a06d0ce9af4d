#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

constexpr std::size_t kStepColumns = 10;  // those before the split, which exposed_split_test checks

namespace {

RankTracePtr three_steps() {
    return TraceFixture()
        .cpu(100, 5, "before")
        .step(110, 100, 3)
        .step(210, 100, 4)
        .step(310, 50, 5)
        .launch(120, 5, 1)
        .launch(220, 5, 2)
        .kernel(180, 60, "gemm", 7, 1)   // continues into step 4
        .kernel(250, 30, "ncclAllReduce", 8, 2)
        .build();
}

}  // namespace

TEST_CASE("a step has all GPU work inside its range, whichever step launched it") {
    const RunPtr run = run_of({three_steps()});
    CHECK(rows_of(answer_of(*run, "steps").main(), kStepColumns) ==
          Rows{"0 3 10 100 30 0 0 70 - -", "0 4 110 100 30 30 0 40 - 0", "0 5 210 50 0 0 0 50 - 0"});
}

TEST_CASE("a step filter selects steps, not the work in them") {
    const RunPtr run = run_of({three_steps()});
    CHECK(rows_of(answer_of(*run, "steps", "step:4").main(), kStepColumns) == Rows{"0 4 110 100 30 30 0 40 - 0"});
    const Answer none = answer_of(*run, "steps", "step:9");
    CHECK(none.main().rows() == 0);
    REQUIRE(none.excluded.size() == 1);
    CHECK(none.excluded[0].what == "ranks without a selected step");
}

TEST_CASE("a filter by class changes no part; one by stream takes the work of that stream") {
    const RunPtr run = run_of({three_steps()});
    CHECK(rows_of(answer_of(*run, "steps", "step:4 class:communication").main(), kStepColumns) ==
          Rows{"0 4 110 100 30 30 0 40 - 0"});
    CHECK(rows_of(answer_of(*run, "steps", "step:4 stream:7").main(), kStepColumns) ==
          Rows{"0 4 110 100 30 0 0 70 - 0"});
}

TEST_CASE("a time range cuts steps to their visible part and excludes those outside") {
    const RunPtr run = run_of({three_steps()});
    // times from the first event at 100: 90 is 190, 150 is 250
    CHECK(rows_of(answer_of(*run, "steps", "time:90ns..150ns").main(), kStepColumns) ==
          Rows{"0 3 90 20 20 0 0 0 - -", "0 4 110 40 30 0 0 10 - 0"});
}

TEST_CASE("a repeated step number is one row for the union of its ranges") {
    const RunPtr run = run_of({TraceFixture().step(0, 50, 1).step(100, 50, 1).kernel(40, 70, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "steps").main(), kStepColumns) == Rows{"0 1 0 100 20 0 0 80 - -"});
}

TEST_CASE("steps of a rank without GPU events have a duration without parts") {
    const RunPtr run = run_of({TraceFixture().step(0, 50, 1).build(), TraceFixture().kernel(0, 5, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "steps").main(), kStepColumns) == Rows{"0 1 0 50 - - - - - -"});
}

TEST_CASE("data loading is the part of the step covered by its marks on any thread, absent without marks") {
    const RunPtr run = run_of({TraceFixture()
                                   .step(0, 100, 1)
                                   .step(120, 80, 2)
                                   .step(200, 50, 3)
                                   .cpu(10, 30, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
                                   .event(30, 20, "## data_load ##", "user_annotation", {"100", "101"})
                                   .cpu(90, 40, "enumerate(DataPipe)#Mapper", 102)
                                   .event(140, 10, "enumerate(DataLoader)#copy", "gpu_user_annotation", {"0", "7"})
                                   .build()});
    CHECK(rows_of(answer_of(*run, "steps").main(), kStepColumns) ==
          Rows{"0 1 0 100 - - - - 50 -", "0 2 120 80 - - - - 10 20", "0 3 200 50 - - - - 0 0"});
    CHECK(rows_of(answer_of(*run, "steps", "time:35ns..125ns").main(), kStepColumns) ==
          Rows{"0 1 35 65 - - - - 25 -", "0 2 120 5 - - - - 5 20"});
}

TEST_CASE("the gap before a step begins at the end of all earlier steps; overlapping steps have none") {
    const RunPtr run = run_of({TraceFixture().step(0, 100, 1).step(50, 20, 2).step(130, 20, 3).build()});
    CHECK(rows_of(answer_of(*run, "steps", "step:2-3").main(), kStepColumns) ==
          Rows{"0 2 50 20 - - - - - 0", "0 3 130 20 - - - - - 30"});
    CHECK(rows_of(answer_of(*run, "steps", "time:120ns..140ns").main(), kStepColumns) ==
          Rows{"0 3 130 10 - - - - - 10"});
}

// Steps that all overlap: comparing every pair would take ten thousand million comparisons.
TEST_CASE("a hundred thousand steps that overlap are summed up one by one") {
    constexpr int kSteps = 100'000;
    TraceFixture fixture;
    for (int i = 0; i < kSteps; ++i) {
        fixture.event(10 * i, 10 * kSteps, "ProfilerStep#" + std::to_string(i), "user_annotation",
                      {"100", std::to_string(i)});
        fixture.kernel(10 * i, 4, i % 2 == 0 ? "gemm" : "ncclAllReduce");
    }
    const RunPtr run = run_of({fixture.build()});
    REQUIRE(run->rank(0).trace().steps.size() == kSteps);
    const Answer steps = answer_of(*run, "steps");
    REQUIRE(steps.main().rows() == kSteps);
    CHECK(row_text(steps.main(), 0, kStepColumns) == "0 0 0 1000000 200000 200000 0 600000 - -");
    CHECK(row_text(steps.main(), kSteps - 1, kStepColumns) == "0 99999 999990 1000000 0 4 0 999996 - 0");
    // A kernel is in all steps that began before it.
    constexpr std::int64_t kInSteps = std::int64_t{kSteps} / 2 * (kSteps / 2);
    const Answer parts = answer_of(*run, "step-parts");
    REQUIRE(parts.main().rows() == 4);
    CHECK(row_text(parts.main(), 0, 6) == "0 compute (unattributed) gemm 100000 " + std::to_string(4 * kInSteps));
    CHECK(row_text(parts.main(), 1, 6) ==
          "0 exposed_communication   100000 " + std::to_string(4 * (kInSteps + kSteps / 2)));
}

TEST_CASE("a filter by name leaves the parts of a step and says how long what it chooses runs") {
    const RunPtr run = run_of({TraceFixture()
                                   .step(0, 1'000, 1)
                                   .kernel(100, 200, "gemm")
                                   .kernel(200, 200, "gemm", 8)
                                   .kernel(500, 100, "relu")
                                   .build()});
    const auto cells = [&](std::string_view filter) {
        const Answer answer = answer_of(*run, "steps", filter);
        const Table& table = answer.main();
        REQUIRE(table.rows() == 1);
        const std::size_t chosen = table.find_column("chosen");
        return std::pair(table.integer(0, table.find_column("compute")),
                         table.absent(0, chosen) ? -1 : table.integer(0, chosen));
    };
    CHECK(cells("") == std::pair<std::int64_t, std::int64_t>(400, -1));
    CHECK(cells("name:gemm") == std::pair<std::int64_t, std::int64_t>(400, 300));
    CHECK(cells("name:none") == std::pair<std::int64_t, std::int64_t>(400, 0));
    CHECK(cells("step:1") == std::pair<std::int64_t, std::int64_t>(400, -1));
}
