#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

RankTracePtr some_kernels() {
    return TraceFixture()
        .kernel(0, 10, "gemm", 7)
        .kernel(20, 13, "gemm", 7)
        .kernel(30, 16, "gemm", 9)
        .kernel(60, 5, "ncclDevKernel_AllReduce", 8)
        .kernel(70, 5, "gemm", 7)
        .kernel(80, 1, "Memset (Device)", 7, -1, "gpu_memset")
        .build();
}

}  // namespace

TEST_CASE("each name has count, total, mean, extremes, deviation and share, longest total first") {
    const RunPtr run = run_of({some_kernels()});
    // gemm: 10 13 16 5, mean 11, deviations 1 4 25 36, variance 66/3 = 22, 4.69 rounds to 5
    CHECK(rows_of(answer_of(*run, "kernels").main()) ==
          Rows{"0 compute gemm 4 44 11 5 16 5 0.880000", "0 communication ncclDevKernel_AllReduce 1 5 5 5 5 0 0.100000",
               "0 memory Memset (Device) 1 1 1 1 1 0 0.020000"});
}

TEST_CASE("an event cut by the time filter counts only its visible part") {
    const RunPtr run = run_of({some_kernels()});
    CHECK(rows_of(answer_of(*run, "kernels", "time:25ns..40ns").main()) ==
          Rows{"0 compute gemm 2 18 9 8 10 1 1.000000"});
}

TEST_CASE("a name with two classes has a row for each") {
    const RunPtr run = run_of(
        {TraceFixture().kernel(0, 4, "fused").kernel(10, 6, "fused").arg(Arg::CollectiveName, "allreduce").build()});
    CHECK(rows_of(answer_of(*run, "kernels").main()) ==
          Rows{"0 communication fused 1 6 6 6 6 0 0.600000", "0 compute fused 1 4 4 4 4 0 0.400000"});
}

TEST_CASE("means are rounded half up to nanoseconds") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 1, "k").kernel(10, 2, "k").build()});
    CHECK(rows_of(answer_of(*run, "kernels").main()) == Rows{"0 compute k 2 3 2 1 2 1 1.000000"});
}

TEST_CASE("kernels of zero length have no share") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 0, "k").build()});
    CHECK(rows_of(answer_of(*run, "kernels").main()) == Rows{"0 compute k 1 0 0 0 0 0 -"});
}

TEST_CASE("shares are of all events in the filter's streams, whatever names and durations it chooses") {
    const RunPtr run = run_of({some_kernels()});
    CHECK(rows_of(answer_of(*run, "kernels", "dur:<=5ns -name:memset").main()) ==
          Rows{"0 compute gemm 1 5 5 5 5 0 0.100000", "0 communication ncclDevKernel_AllReduce 1 5 5 5 5 0 0.100000"});
    CHECK(rows_of(answer_of(*run, "kernels", "stream:9").main()) == Rows{"0 compute gemm 1 16 16 16 16 0 1.000000"});
}

TEST_CASE("a stream is the one that the trace names, whatever number its thread has") {
    TraceFixture fixture;
    fixture.event(0, 10, "dma_request", "mtia_ccp_events", {"0", "3536"}).arg(Arg::Stream, 108);
    fixture.event(20, 10, "pe_exe", "mtia_ccp_events", {"0", "3536"}).arg(Arg::Stream, 108);
    fixture.kernel(0, 5, "gemm", 7);
    const RunPtr run = run_of({fixture.build()});
    const RankTrace& trace = run->rank(0).trace();
    CHECK(trace.track_of(find_named(trace, "dma_request")).stream == 108);
    CHECK(answer_of(*run, "kernels", "stream:108").main().rows() == 2);
    CHECK(answer_of(*run, "kernels", "stream:3536").main().rows() == 0);
    CHECK(answer_of(*run, "kernels", "stream:7").main().rows() == 1);
}
