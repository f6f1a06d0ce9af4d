#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

RankTracePtr three_steps() {
    return TraceFixture()
        .cpu(100, 5, "before")
        .step(110, 100, 3)
        .step(210, 100, 4)
        .step(310, 50, 5)
        .launch(120, 5, 1)
        .launch(220, 5, 2)
        .kernel(180, 60, "gemm", 7, 1)   // runs into step 4
        .kernel(250, 30, "ncclAllReduce", 8, 2)
        .build();
}

}  // namespace

TEST_CASE("a step counts all GPU work inside its own range, whichever step launched it") {
    const RunPtr run = run_of({three_steps()});
    CHECK(rows_of(answer_of(*run, "steps").main()) ==
          Rows{"0 3 10 100 30 0 0 70 - -", "0 4 110 100 30 30 0 40 - 0", "0 5 210 50 0 0 0 50 - 0"});
}

TEST_CASE("a step filter chooses steps and not the work in them") {
    const RunPtr run = run_of({three_steps()});
    CHECK(rows_of(answer_of(*run, "steps", "step:4").main()) == Rows{"0 4 110 100 30 30 0 40 - 0"});
    const Answer none = answer_of(*run, "steps", "step:9");
    CHECK(none.main().rows() == 0);
    REQUIRE(none.excluded.size() == 1);
    CHECK(none.excluded[0].what == "ranks without a selected step");
}

TEST_CASE("other filters choose the work: what does not pass counts as idle") {
    const RunPtr run = run_of({three_steps()});
    CHECK(rows_of(answer_of(*run, "steps", "step:4 class:communication").main()) == Rows{"0 4 110 100 0 30 0 70 - 0"});
    CHECK(rows_of(answer_of(*run, "steps", "step:4 stream:7").main()) == Rows{"0 4 110 100 30 0 0 70 - 0"});
}

TEST_CASE("a time range cuts steps to their visible part and leaves out those outside it") {
    const RunPtr run = run_of({three_steps()});
    // times from the first event, at 100: 90 is 190, 150 is 250
    CHECK(rows_of(answer_of(*run, "steps", "time:90ns..150ns").main()) ==
          Rows{"0 3 90 20 20 0 0 0 - -", "0 4 110 40 30 0 0 10 - 0"});
}

TEST_CASE("a step number that occurs twice is one row over the union of its ranges") {
    const RunPtr run = run_of({TraceFixture().step(0, 50, 1).step(100, 50, 1).kernel(40, 70, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "steps").main()) == Rows{"0 1 0 100 20 0 0 80 - -"});
}

TEST_CASE("steps of a rank without GPU events have a duration and no parts") {
    const RunPtr run = run_of({TraceFixture().step(0, 50, 1).build(), TraceFixture().kernel(0, 5, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "steps").main()) == Rows{"0 1 0 50 - - - - - -"});
}

TEST_CASE("data loading is what its marks cover of the step, on any thread; without marks it is not known") {
    const RunPtr run = run_of({TraceFixture()
                                   .step(0, 100, 1)
                                   .step(120, 80, 2)
                                   .step(200, 50, 3)
                                   .cpu(10, 30, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
                                   .event(30, 20, "## data_load ##", "user_annotation", {"100", "101"})
                                   .cpu(90, 40, "enumerate(DataPipe)#Mapper", 102)
                                   .event(140, 10, "enumerate(DataLoader)#copy", "gpu_user_annotation", {"0", "7"})
                                   .build()});
    CHECK(rows_of(answer_of(*run, "steps").main()) ==
          Rows{"0 1 0 100 - - - - 50 -", "0 2 120 80 - - - - 10 20", "0 3 200 50 - - - - 0 0"});
    CHECK(rows_of(answer_of(*run, "steps", "time:35ns..125ns").main()) ==
          Rows{"0 1 35 65 - - - - 25 -", "0 2 120 5 - - - - 5 20"});
}

TEST_CASE("the gap before a step is that to all steps before it, chosen or not; overlapping steps have none") {
    const RunPtr run = run_of({TraceFixture().step(0, 100, 1).step(50, 20, 2).step(130, 20, 3).build()});
    CHECK(rows_of(answer_of(*run, "steps", "step:2-3").main()) ==
          Rows{"0 2 50 20 - - - - - 0", "0 3 130 20 - - - - - 30"});
    CHECK(rows_of(answer_of(*run, "steps", "time:120ns..140ns").main()) == Rows{"0 3 130 10 - - - - - 10"});
}
