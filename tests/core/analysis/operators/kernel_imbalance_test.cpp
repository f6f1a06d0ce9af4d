#include "core/index/rank_count.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("imbalance is the greatest mean of a rank over the mean of all ranks' means, minus one") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 10, "gemm").kernel(20, 20, "gemm").build(),  // mean 15
                               TraceFixture().kernel(0, 30, "gemm").build(),                           // mean 30
                               TraceFixture().kernel(0, 15, "gemm").kernel(50, 7, "alone").build()});  // mean 15
    // mean of means 20; 30 / 20 - 1
    CHECK(rows_of(answer_of(*run, "kernel-imbalance").main()) ==
          Rows{"compute gemm 3 20 15 30 0.500000", "compute alone 1 7 7 7 -"});
}

TEST_CASE("ranks outside the filter do not affect the imbalance") {
    const RunPtr run =
        run_of({TraceFixture().kernel(0, 10, "gemm").build(), TraceFixture().kernel(0, 30, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "kernel-imbalance", "rank:1").main()) == Rows{"compute gemm 1 30 30 30 -"});
}

TEST_CASE("kernels of zero length on every rank have no imbalance") {
    const RunPtr run =
        run_of({TraceFixture().kernel(0, 0, "gemm").build(), TraceFixture().kernel(0, 0, "gemm").build()});
    CHECK(rows_of(answer_of(*run, "kernel-imbalance").main()) == Rows{"compute gemm 2 0 0 0 -"});
}

TEST_CASE("two captures of a rank count as one, the first that passes the filter") {
    RunParts parts = run_of({TraceFixture().kernel(0, 10, "gemm").build(), TraceFixture().kernel(0, 90, "gemm").build(),
                             TraceFixture().kernel(0, 30, "gemm").build()})
                         ->parts();
    parts.ranks[1].key = {0, 1};
    parts.ranks[2].key = {1, 0};
    const Run run(parts);
    const Answer answer = answer_of(run, "kernel-imbalance");
    CHECK(rows_of(answer.main()) == Rows{"compute gemm 2 20 10 30 0.500000"});
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].count == 1);
    CHECK(rows_of(answer_of(run, "kernel-imbalance", "capture:b").main()) == Rows{"compute gemm 1 90 90 90 -"});
    CHECK(rows_of(answer_of(run, "kernel-imbalance", "rank:0\u00B7b,1").main()) ==
          Rows{"compute gemm 2 60 30 90 0.500000"});
}

TEST_CASE("windows of a rank count together: count and time of all of them make its mean") {
    const RunPtr run = run_of_captures({TraceFixture().rank(0).kernel(0, 10, "gemm").build(),
                                        TraceFixture().rank(0).kernel(100, 40, "gemm").kernel(150, 40, "gemm").build(),
                                        TraceFixture().rank(1).kernel(0, 20, "gemm").build()});
    REQUIRE(are_windows(*run));
    const Answer answer = answer_of(*run, "kernel-imbalance");
    CHECK(rows_of(answer.main()) == Rows{"compute gemm 2 25 20 30 0.200000"});
    CHECK(answer.excluded.empty());
}

// Means of 1.4, 1.4 and 1.8 ns: their mean is 1.53, that of the rounded ones 1.33.
TEST_CASE("means over ranks are of exact means, not of rounded ones") {
    const auto trace = [](std::int64_t last) {
        TraceFixture fixture;
        for (int i = 0; i < 4; ++i) fixture.kernel(10 * i, 1, "gemm");
        return fixture.kernel(40, last, "gemm").build();
    };
    CHECK(rows_of(answer_of(*run_of({trace(3), trace(3), trace(5)}), "kernel-imbalance").main()) ==
          Rows{"compute gemm 3 2 1 2 0.173913"});
}
