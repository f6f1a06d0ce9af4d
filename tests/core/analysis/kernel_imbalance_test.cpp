#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("imbalance is the slowest rank's mean over the mean of the ranks' means, minus one") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 10, "gemm").kernel(20, 20, "gemm").build(),  // mean 15
                               TraceFixture().kernel(0, 30, "gemm").build(),                           // mean 30
                               TraceFixture().kernel(0, 15, "gemm").kernel(50, 7, "alone").build()});  // mean 15
    // mean of means 20; 30 / 20 - 1
    CHECK(rows_of(answer_of(*run, "kernel-imbalance").main()) ==
          Rows{"compute gemm 3 20 15 30 0.500000", "compute alone 1 7 7 7 -"});
}

TEST_CASE("ranks that the filter leaves out do not enter the imbalance") {
    const RunPtr run =
        run_of({TraceFixture().kernel(0, 10, "gemm").build(), TraceFixture().kernel(0, 30, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "kernel-imbalance", "rank:1").main()) == Rows{"compute gemm 1 30 30 30 -"});
}

TEST_CASE("kernels of no length on every rank have no imbalance") {
    const RunPtr run =
        run_of({TraceFixture().kernel(0, 0, "gemm").build(), TraceFixture().kernel(0, 0, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "kernel-imbalance").main()) == Rows{"compute gemm 2 0 0 0 -"});
}
