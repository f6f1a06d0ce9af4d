#include "core/ingest/nsys/nvtx_names.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("a range of PyTorch's emit_nvtx is split into name, sequence, op_id and shapes") {
    const NvtxName both = split_nvtx_name("aten::mm, seq = 123, op_id = 317149");
    CHECK(both.name == "aten::mm");
    CHECK(both.is_operator);
    CHECK(both.sequence == 123);
    CHECK(both.op_id == 317149);
    const NvtxName shaped = split_nvtx_name("aten::add, op_id = 7, sizes = [[2, 3], []], input_op_ids = [(1,0)]");
    CHECK(shaped.name == "aten::add");
    CHECK_FALSE(shaped.sequence);
    CHECK(shaped.op_id == 7);
    CHECK(shaped.sizes == "[[2, 3], []]");
}

TEST_CASE("a range that only looks like emit_nvtx keeps its whole name") {
    for (const std::string_view text :
         {"step 3", "load, then train", "x, seq = none", ", seq = 3", "x, op_id = 3x", ""}) {
        const NvtxName split = split_nvtx_name(text);
        CHECK(split.name == text);
        CHECK_FALSE(split.is_operator);
    }
}

TEST_CASE("the version behind a CUDA call is cut, other endings are not") {
    CHECK(without_version("cudaLaunchKernel_v7000") == "cudaLaunchKernel");
    CHECK(without_version("cudaStreamGetCaptureInfo_v2_v11030") == "cudaStreamGetCaptureInfo_v2");
    CHECK(without_version("cuMemAlloc_v2") == "cuMemAlloc_v2");
    CHECK(without_version("cudaFree") == "cudaFree");
    CHECK(without_version("_v7000") == "_v7000");
    CHECK(without_version("call_v70x0") == "call_v70x0");
}
