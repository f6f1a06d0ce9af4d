#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("every instant belongs to the exact set of active classes; idle is last") {
    const RunPtr run = run_of({TraceFixture()
                                   .kernel(0, 40, "gemm", 7)
                                   .kernel(30, 30, "ncclDevKernel_AllReduce", 8)
                                   .kernel(55, 25, "Memcpy DtoH", 9, -1, "gpu_memcpy")
                                   .kernel(90, 10, "gemm", 7)
                                   .build()});
    CHECK(rows_of(answer_of(*run, "kernel-types").main()) ==
          Rows{"0 compute 40 0.400000", "0 communication 15 0.150000", "0 compute+communication 10 0.100000",
               "0 memory 20 0.200000", "0 communication+memory 5 0.050000", "0 idle 10 0.100000"});
    CHECK(rows_of(answer_of(*run, "kernel-types", "time:0ns..30ns").main()) == Rows{"0 compute 30 1.000000"});
}

TEST_CASE("a rank without GPU events has no kernel types") {
    const RunPtr run = run_of({TraceFixture().cpu(0, 10, "aten::mm").build()});
    CHECK(answer_of(*run, "kernel-types").main().rows() == 0);
}
