#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

constexpr std::size_t kBreakdownColumns = 6;  // those before the split, which exposed_split_test checks

namespace {

// compute 0-40, communication 30-60 on another stream, copy 55-80, idle 80-90, compute 90-100.
RankTracePtr mixed() {
    return TraceFixture()
        .kernel(0, 40, "gemm", 7)
        .kernel(30, 30, "ncclDevKernel_AllReduce", 8)
        .kernel(55, 25, "Memcpy DtoH", 9, -1, "gpu_memcpy")
        .kernel(90, 10, "gemm", 7)
        .build();
}

// Two steps on the CPU; the kernel launched in step 1 still runs in step 2.
RankTracePtr two_steps() {
    return TraceFixture()
        .step(0, 100, 1)
        .step(100, 100, 2)
        .launch(10, 5, 1)
        .launch(110, 5, 2)
        .kernel(50, 100, "gemm", 7, 1)
        .kernel(160, 20, "gemm", 7, 2)
        .build();
}

}  // namespace

TEST_CASE("time is split into compute, exposed communication, exposed copies and idle, in this order") {
    const RunPtr run = run_of({mixed()});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown").main(), kBreakdownColumns) == Rows{"0 100 50 20 20 10"});
}

TEST_CASE("a time range cuts the window and its events") {
    const RunPtr run = run_of({mixed()});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "time:35ns..85ns").main(), kBreakdownColumns) ==
          Rows{"0 50 5 20 20 5"});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "time:1ms..2ms").main(), kBreakdownColumns) ==
          Rows{"0 0 0 0 0 0"});
}

TEST_CASE("filters by class, name and duration change no share of time") {
    const RunPtr run = run_of({mixed()});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "class:communication").main(), kBreakdownColumns) ==
          rows_of(answer_of(*run, "temporal-breakdown").main(), kBreakdownColumns));
    for (const char* filter : {"name:nothing", "-class:compute", "dur:>1s", "group:none"})
        CHECK(rows_of(answer_of(*run, "temporal-breakdown", filter).main(), kBreakdownColumns) ==
              rows_of(answer_of(*run, "temporal-breakdown").main(), kBreakdownColumns));
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "stream:8 class:compute").main(), kBreakdownColumns) ==
          Rows{"0 30 0 30 0 0"});
}

TEST_CASE("a stream filter sets the window") {
    const RunPtr run = run_of({mixed()});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "stream:8").main(), kBreakdownColumns) ==
          Rows{"0 30 0 30 0 0"});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "stream:99").main(), kBreakdownColumns) == Rows{"0 - - - - -"});
}

TEST_CASE("a step filter sets the window to the GPU events launched in those steps") {
    const RunPtr run = run_of({two_steps()});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "step:1").main(), kBreakdownColumns) ==
          Rows{"0 100 100 0 0 0"});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "step:complete").main(), kBreakdownColumns) ==
          Rows{"0 100 100 0 0 0"});
}

TEST_CASE("window=steps uses the ranges of steps and all work in them, whichever step launched it") {
    const RunPtr run = run_of({two_steps()});
    const GivenParams steps = {{"window", "steps"}};
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "", steps).main(), kBreakdownColumns) ==
          Rows{"0 200 120 0 0 80"});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "step:2", steps).main(), kBreakdownColumns) ==
          Rows{"0 100 70 0 0 30"});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "step:7", steps).main(), kBreakdownColumns) ==
          Rows{"0 - - - - -"});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "time:150ns..170ns", steps).main(), kBreakdownColumns) ==
          Rows{"0 20 10 0 0 10"});
}

TEST_CASE("a rank without GPU events has one row of absent cells") {
    const RunPtr run = run_of({TraceFixture().cpu(0, 10, "aten::mm").build(), TraceFixture().build()});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown").main(), kBreakdownColumns) ==
          Rows{"0 - - - - -", "1 - - - - -"});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown", "", {{"window", "steps"}}).main(), kBreakdownColumns) ==
          Rows{"0 - - - - -", "1 - - - - -"});
}

TEST_CASE("a single event of zero length makes a window of zero length") {
    const RunPtr run = run_of({TraceFixture().kernel(5, 0, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "temporal-breakdown").main(), kBreakdownColumns) == Rows{"0 0 0 0 0 0"});
}
