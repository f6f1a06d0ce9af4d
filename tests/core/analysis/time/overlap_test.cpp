#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

constexpr std::size_t kOverlapColumns = 6;  // those before the split, which exposed_split_test checks

TEST_CASE("overlap is the time of communication while compute runs") {
    // compute 0-40, communication 30-50: 10 together, 50 either
    const RunPtr run = run_of({TraceFixture().kernel(0, 40, "gemm", 7).kernel(30, 20, "ncclAllReduce", 8).build()});
    CHECK(rows_of(answer_of(*run, "overlap").main(), kOverlapColumns) == Rows{"0 20 10 10 0.500000 0.500000"});
}

TEST_CASE("efficiency is 1 if the shorter is fully hidden, 0 if nothing is") {
    const RunPtr hidden = run_of({TraceFixture().kernel(0, 40, "ncclAllReduce", 8).kernel(10, 20, "gemm", 7).build()});
    CHECK(rows_of(answer_of(*hidden, "overlap").main(), kOverlapColumns) == Rows{"0 40 20 20 0.500000 1.000000"});
    const RunPtr apart = run_of({TraceFixture().kernel(0, 10, "ncclAllReduce", 8).kernel(10, 20, "gemm", 7).build()});
    CHECK(rows_of(answer_of(*apart, "overlap").main(), kOverlapColumns) == Rows{"0 10 0 10 0.000000 0.000000"});
}

TEST_CASE("without communication the ratios are absent, without GPU events everything is") {
    const RunPtr run =
        run_of({TraceFixture().kernel(0, 40, "gemm").build(), TraceFixture().cpu(0, 5, "aten::mm").build()});
    CHECK(rows_of(answer_of(*run, "overlap").main(), kOverlapColumns) == Rows{"0 0 0 0 - -", "1 - - - - -"});
}

TEST_CASE("copies do not affect the overlap") {
    const RunPtr run = run_of(
        {TraceFixture().kernel(0, 10, "ncclAllReduce", 8).kernel(0, 10, "Memcpy DtoD", 9, -1, "gpu_memcpy").build()});
    CHECK(rows_of(answer_of(*run, "overlap").main(), kOverlapColumns) == Rows{"0 10 0 10 0.000000 -"});
}

TEST_CASE("what can still be hidden is at most the shorter of the two exposed parts") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 30, "gemm").kernel(20, 40, "ncclAllReduce", 9).build()});
    const Table table = answer_of(*run, "overlap").main();
    CHECK(table.integer(0, table.find_column("overlap_gain")) == 20);  // 0-20 compute alone, 30-60 communication alone
    CHECK(table.number(0, table.find_column("overlap_wall")) == doctest::Approx(1 - (60.0 - 40) / 30));
}

TEST_CASE("by wall time idle time of a step is lack of overlap, without a lower bound") {
    const RunPtr run = run_of({TraceFixture()
                                   .step(0, 1'000, 1)
                                   .launch(1, 1, 1)
                                   .kernel(100, 30, "gemm", 7, 1)
                                   .launch(3, 1, 2)
                                   .kernel(100, 40, "ncclAllReduce", 9, 2)
                                   .build()});
    const Table table = answer_of(*run, "overlap").main();
    CHECK(table.number(0, table.find_column("overlap_efficiency")) == 1);
    CHECK(table.number(0, table.find_column("overlap_wall")) == doctest::Approx(1 - (1'000.0 - 40) / 30));
}
