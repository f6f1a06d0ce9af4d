#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

TraceFixture annotated() {
    TraceFixture fixture;
    fixture.event(0, 100, "step", "gpu_user_annotation", {"0", "7"});
    fixture.event(20, 30, "forward", "gpu_user_annotation", {"0", "7"});
    fixture.kernel(5, 10, "gemm", 7).kernel(25, 10, "gemm", 7).kernel(48, 20, "relu", 7).kernel(25, 10, "gemm", 8);
    return fixture;
}

Rows kernels_of(const RankTracePtr& trace, std::string_view filter = "") {
    return rows_of(answer_of(*run_of({trace}), "kernels-by-annotation", filter).main());
}

}  // namespace

TEST_CASE("a kernel belongs to the shortest annotation of its own stream that overlaps it") {
    CHECK(kernels_of(annotated().build()) ==
          Rows{"0 forward relu 1 20", "0 forward gemm 1 10", "0 (unannotated) gemm 1 10", "0 step gemm 1 10"});
}

TEST_CASE("filters select kernels, not their annotations; time cuts them") {
    CHECK(kernels_of(annotated().build(), "stream:7 name:gemm") == Rows{"0 forward gemm 1 10", "0 step gemm 1 10"});
    CHECK(kernels_of(annotated().build(), "time:50ns..60ns") == Rows{"0 forward relu 1 10"});
}

TEST_CASE("streams with equal numbers on two devices are distinct") {
    const RankTracePtr trace = TraceFixture()
                                   .event(0, 100, "first GPU", "gpu_user_annotation", {"0", "7"})
                                   .kernel(10, 5, "gemm", 7)
                                   .event(10, 5, "gemm", "kernel", {"1", "7"})
                                   .arg(Arg::Stream, 7)
                                   .build();
    CHECK(kernels_of(trace) == Rows{"0 (unannotated) gemm 1 5", "0 first GPU gemm 1 5"});
}

TEST_CASE("without annotations every kernel is unannotated, without kernels there are no rows") {
    CHECK(kernels_of(TraceFixture().kernel(0, 4, "gemm").build()) == Rows{"0 (unannotated) gemm 1 4"});
    CHECK(kernels_of(TraceFixture().event(0, 9, "step", "gpu_user_annotation", {"0", "7"}).build()).empty());
}
