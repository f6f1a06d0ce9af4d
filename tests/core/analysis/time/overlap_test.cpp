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
