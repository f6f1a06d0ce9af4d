#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("every event name has a count and total, separately on CPU and GPU") {
    const RunPtr run = run_of({TraceFixture()
                                   .cpu(0, 100, "aten::mm")
                                   .cpu(10, 5, "aten::mm", 101)
                                   .launch(20, 3, 1)
                                   .kernel(50, 40, "gemm", 7, 1)
                                   .kernel(90, 2, "aten::mm", 7)
                                   .event(40, 60, "fwd", "gpu_user_annotation", {"0", "7"})
                                   .arg(Arg::Stream, 7)
                                   .event(60, 0, "marker", "cpu_instant_event", {})
                                   .phase(Phase::Instant)
                                   .build()});
    CHECK(rows_of(answer_of(*run, "names").main()) == Rows{"0 cpu aten::mm 2 105", "0 gpu fwd 1 60", "0 gpu gemm 1 40",
                                                           "0 cpu cudaLaunchKernel 1 3", "0 gpu aten::mm 1 2"});
}

TEST_CASE("a time range cuts events to their visible part, and the filter selects them") {
    const RunPtr run =
        run_of({TraceFixture().cpu(0, 100, "long").cpu(10, 0, "empty").cpu(30, 20, "late").cpu(50, 5, "next").build()});
    CHECK(rows_of(answer_of(*run, "names", "time:10ns..40ns").main()) ==
          Rows{"0 cpu long 1 30", "0 cpu late 1 10", "0 cpu empty 1 0"});
    CHECK(rows_of(answer_of(*run, "names", "name:late").main()) == Rows{"0 cpu late 1 20"});
}
