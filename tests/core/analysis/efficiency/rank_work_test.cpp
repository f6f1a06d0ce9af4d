#include "core/analysis/efficiency/rank_work.hpp"

#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

// "operator FLOP executed [recomputed]" per call, in order of events.
Rows calls_of(OperatorFixture& fixture) {
    const RunPtr run = run_of({fixture.build()});
    const RankWorkPtr work = work_of(*run->rank(0).index, {});
    REQUIRE(work);
    Rows rows;
    for (const WorkCall& call : work->calls) {
        std::string row(run->rank(0).trace().name_text(call.event));
        row += ' ' + std::to_string(work->work_of(call).flop) + ' ' + std::to_string(call.gpu_events);
        if (call.is_recomputed) row += " recomputed";
        rows.push_back(row);
    }
    return rows;
}

Rows kinds_of(OperatorFixture& fixture) {
    const RunPtr run = run_of({fixture.build()});
    const RankWorkPtr work = work_of(*run->rank(0).index, {});
    REQUIRE(work);
    const RankTrace& trace = run->rank(0).trace();
    Rows rows;
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i)
        rows.push_back(std::string(trace.name_text(trace.gpu_events[i])) + ": " + std::string(name_of(work->kinds[i])));
    return rows;
}

constexpr std::string_view kSquare = "[[2, 2], [2, 2]]";  // 16 FLOP as a product

}  // namespace

TEST_CASE("FLOP belong to the innermost operator that tells") {
    OperatorFixture fixture;
    fixture.op(0, 100, "aten::linear").with(kSquare).op(10, 50, "aten::mm").with(kSquare).gpu(20, 200, 10, "gemm");
    CHECK(calls_of(fixture) == Rows{"aten::mm 16 1"});
}

TEST_CASE("an inner operator without shapes does not hide an outer one with them") {
    OperatorFixture fixture;
    fixture.op(0, 100, "aten::linear").with(kSquare);
    fixture.op(10, 50, "aten::mm").gpu(20, 200, 10, "gemm");
    CHECK(calls_of(fixture) == Rows{"aten::linear 16 1"});
}

TEST_CASE("an outer operator owns everything below it once one inner operator does not tell") {
    OperatorFixture fixture;
    fixture.op(0, 100, "aten::matmul").with(kSquare);
    fixture.op(10, 20, "aten::mm").with(kSquare).gpu(20, 200, 10, "gemm");
    fixture.op(40, 20, "aten::bmm").gpu(50, 300, 10, "gemm");
    CHECK(calls_of(fixture) == Rows{"aten::matmul 16 2"});
}

TEST_CASE("where the outer operator does not tell either, the inner ones that do keep their FLOP") {
    OperatorFixture fixture;
    fixture.op(0, 100, "aten::matmul");
    fixture.op(10, 20, "aten::mm").with(kSquare).gpu(20, 200, 10, "gemm_a");
    fixture.op(40, 20, "aten::bmm").gpu(50, 300, 10, "gemm_b");
    CHECK(kinds_of(fixture) == Rows{"gemm_a: matrix", "gemm_b: uncounted"});
}

TEST_CASE("a call that launches no GPU work does not run") {
    OperatorFixture fixture;
    fixture.op(0, 10, "aten::mm").with(kSquare).op(20, 30, "aten::mm").with(kSquare);
    fixture.launch(30, 1, 9).kernel(200, 10, "ncclDevKernel_AllReduce", 7, 9);
    CHECK(calls_of(fixture) == Rows{"aten::mm 16 0", "aten::mm 16 0"});
}

TEST_CASE("every compute kernel has one kind") {
    OperatorFixture fixture;
    fixture.op(0, 10, "aten::mm").with(kSquare).gpu(2, 100, 10, "helper");
    fixture.op(20, 10, "aten::mm").gpu(22, 200, 10, "other");
    fixture.op(40, 10, "vllm::moe_forward").gpu(42, 300, 10, "fused");
    fixture.op(60, 10, "aten::add").gpu(62, 400, 10, "my_gemm_like_add");
    fixture.op(80, 10, "custom").gpu(82, 500, 10, "void fbgemm::split_embedding<float>(int)");
    fixture.gpu(100, 600, 10, "ampere_sgemm_32x32");
    fixture.gpu(110, 700, 10, "void vllm::_typeConvert<float>(int)");
    fixture.gpu(120, 800, 10, "void at::native::vectorized_elementwise_kernel<4>(int)");
    fixture.gpu(130, 900, 10, "triton_poi_fused_add_0");
    fixture.gpu(140, 1000, 10, "mystery(gemm)");
    CHECK(kinds_of(fixture) == Rows{"helper: matrix", "other: uncounted", "fused: uncounted", "my_gemm_like_add: none",
                                    "void fbgemm::split_embedding<float>(int): unclassified",
                                    "ampere_sgemm_32x32: uncounted",
                                    "void vllm::_typeConvert<float>(int): unclassified",
                                    "void at::native::vectorized_elementwise_kernel<4>(int): none",
                                    "triton_poi_fused_add_0: none", "mystery(gemm): unclassified"});
}

TEST_CASE("a forward operator below the engine is recomputed if gradients are recorded") {
    constexpr std::string_view kEngine = "autograd::engine::evaluate_function: CheckpointFunctionBackward";
    OperatorFixture fixture;
    fixture.op(0, 100, kEngine).arg(Arg::SequenceNumber, 7);
    fixture.op(1, 98, "CheckpointFunctionBackward").arg(Arg::SequenceNumber, 7);
    fixture.op(10, 30, "aten::linear").arg(Arg::SequenceNumber, 20);
    fixture.op(12, 20, "aten::mm").with(kSquare).gpu(14, 200, 10, "gemm");
    fixture.op(50, 40, "autograd::engine::evaluate_function: MmBackward0").arg(Arg::SequenceNumber, 20);
    fixture.op(52, 30, "MmBackward0").arg(Arg::SequenceNumber, 20);
    fixture.op(54, 20, "aten::mm").with(kSquare).gpu(56, 300, 10, "gemm");
    CHECK(calls_of(fixture) == Rows{"aten::mm 16 1 recomputed", "aten::mm 16 1"});
}

TEST_CASE("the forward pass itself is not recomputed, whatever its sequence numbers") {
    OperatorFixture fixture;
    fixture.op(10, 30, "aten::mm").with(kSquare).arg(Arg::SequenceNumber, 20);
    fixture.gpu(14, 200, 10, "gemm");
    CHECK(calls_of(fixture) == Rows{"aten::mm 16 1"});
}

TEST_CASE("a convolution without recorded values has the output of its gradient") {
    OperatorFixture fixture;
    fixture.op(0, 20, "aten::conv2d").with("[[1, 2, 4, 4], [3, 2, 3, 3]]").arg(Arg::SequenceNumber, 5);
    fixture.op(2, 10, "aten::cudnn_convolution").with("[[1, 2, 4, 4], [3, 2, 3, 3]]").gpu(4, 200, 10, "scudnn");
    fixture.op(50, 40, "autograd::engine::evaluate_function: CudnnConvolutionBackward").arg(Arg::SequenceNumber, 5);
    fixture.op(55, 20, "aten::cudnn_convolution_backward").with("[[1, 2, 4, 4], [1, 3, 2, 2], [3, 2, 3, 3]]");
    fixture.op(56, 6, "aten::cudnn_convolution_backward_weight").with("[[], [1, 3, 2, 2], [1, 2, 4, 4]]");
    fixture.gpu(57, 300, 10, "wgrad");
    const std::int64_t one = 2 * 3 * 4 * 2 * 9;
    CHECK(calls_of(fixture) == Rows{"aten::cudnn_convolution " + std::to_string(one) + " 1",
                                    "aten::cudnn_convolution_backward " + std::to_string(one) + " 1"});
}

TEST_CASE("values come from the event's text") {
    OperatorFixture fixture;
    fixture.op(0, 20, "aten::convolution")
        .with("[[1, 2, 4, 4], [3, 2, 3, 3], [], [], [], [], [], [], []]", "",
              R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"])")
        .gpu(4, 200, 10, "conv");
    CHECK(calls_of(fixture) == Rows{"aten::convolution " + std::to_string(2 * 3 * 16 * 2 * 9) + " 1"});
}
