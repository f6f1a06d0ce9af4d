#include "core/base/short_name.hpp"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

struct Example {
    const char* full;
    const char* normal;
    const char* brief;
};

}  // namespace

TEST_CASE("kernel names are shortened to their operation") {
    const Example examples[] = {
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnSelf_add<float>, "
         "at::detail::Array<char*, 2> >(int, "
         "at::native::CUDAFunctorOnSelf_add<float>, at::detail::Array<char*, 2>)",
         "add float \xC2\xB7 elementwise", "add"},
        {"void at::native::vectorized_elementwise_kernel<4, "
         "at::native::sqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
         "const::{lambda()#2}::operator()() const::{lambda(float)#1}, at::detail::Array<char*, 2> >(int)",
         "sqrt float \xC2\xB7 elementwise", "sqrt"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, float, "
         "at::native::binary_internal::MulFunctor<float> >, at::detail::Array<char*, 2> >(int)",
         "Mul float \xC2\xB7 elementwise", "Mul"},
        {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, "
         "float)",
         "vectorized_layer_norm_kernel", "vectorized_layer_norm"},
        {"void "
         "cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_32x3_nt_align1>(cutlass_80_tensorop_s1688gemm_128x128_"
         "32x3_nt_align1::Params)",
         "cutlass s1688gemm 128x128 nt", "s1688gemm 128x128"},
        {"sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_stage4_warpsize2x2x1_g1_"
         "tensor16x8x8_execute_kernel_cudnn_infer",
         "xmma dgrad implicit gemm tf32f32 128x128x16", "dgrad 128x128x16"},
        {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT192x16x128_MI16x16x1_SN_LDSB1",
         "Cijk Alik_Bljk BBS 192x16x128", "Cijk 192x16x128"},
        {"nvjet_tst_64x16_64x16_2x4_2cta_h_bz_bias_TNT", "nvjet tst 64x16 TNT", "nvjet 64x16"},
        {"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
        {"ampere_fp16_s1688gemm_fp16_128x128_ldg8_f2f_stages_32x1_nn", "ampere s1688gemm fp16 128x128 nn",
         "s1688gemm 128x128"},
        {"triton_poi_fused_addmm_gelu_view_26", "triton_poi_fused_addmm_gelu_view_26", "poi_fused_addmm_gelu_view_26"},
        {"void gemv2T_kernel_val<int, int, float, float>(cublasGemvParams)", "gemv2T_kernel_val", "gemv2T_kernel_val"},
    };
    for (const Example& example : examples) {
        CAPTURE(example.full);
        const core::ShortenedName name = core::short_name(example.full);
        CHECK(name.normal == example.normal);
        CHECK(name.brief == example.brief);
    }
}

TEST_CASE("names of collectives keep operation, type and algorithm") {
    CHECK(core::short_name("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)").normal ==
          "AllReduce \xC2\xB7 bf16 \xC2\xB7 RING");
    CHECK(core::short_name("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)").normal ==
          "AllReduce \xC2\xB7 float \xC2\xB7 RING");
    CHECK(core::short_name("ncclKernel_AllReduce").brief == "AllReduce");
    CHECK(core::short_name("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)").normal == "SendRecv");
}

TEST_CASE("names of CPU events stay recognisable") {
    CHECK(core::short_name("torch/nn/modules/module.py(1532): _call_impl").normal ==
          "_call_impl \xC2\xB7 module.py:1532");
    CHECK(core::short_name("torch/nn/modules/module.py(1532): _call_impl").brief == "_call_impl");
    CHECK(core::short_name("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad").brief ==
          "AccumulateGrad");
    CHECK(core::short_name("aten::mm").normal == "aten::mm");
    CHECK(core::short_name("Memcpy HtoD (Pageable -> Device)").normal == "Memcpy HtoD (Pageable -> Device)");
    CHECK(core::short_name("Memcpy HtoD (Pageable -> Device)").brief == "Memcpy HtoD");
    CHECK(core::short_name("ProfilerStep#12").normal == "ProfilerStep#12");
    CHECK(core::short_name("## forward ##").normal == "## forward ##");
}

TEST_CASE("every text has a short name that is not empty and only a little longer than 4 KiB") {
    std::mt19937 random(3);
    constexpr std::string_view kAlphabet = "ab_<>(): ,4x.py#&{}";
    for (int i = 0; i < 20'000; ++i) {
        std::string text = i % 3 == 0 ? "void " : i % 3 == 1 ? "nccl" : "";
        const std::size_t length = 1 + random() % 40;
        for (std::size_t k = 0; k < length; ++k) text += kAlphabet[random() % kAlphabet.size()];
        const core::ShortenedName name = core::short_name(text);
        CHECK_FALSE(name.normal.empty());
        CHECK_FALSE(name.brief.empty());
        CHECK(name.brief.size() <= name.normal.size());
    }
    CHECK(core::short_name("").normal.empty());
    CHECK(core::short_name(std::string(1'000'000, '<')).normal.size() <= 4200);
}

TEST_CASE("different names that are shown together keep what tells them apart") {
    const std::vector<std::string_view> full{"void gemm<float, 64>(float*)", "void gemm<float, 128>(float*)", "relu",
                                             "void gemm<float, 64>(float*)"};
    const std::vector<std::string> shown = core::distinct_short_names(full);
    REQUIRE(shown.size() == 4);
    CHECK(shown[0] != shown[1]);
    CHECK(shown[0] == shown[3]);
    CHECK(shown[0].ends_with("64"));
    CHECK(shown[1].ends_with("128"));
    CHECK(shown[2] == core::short_name("relu").normal);
}

TEST_CASE("of any names that are shown together, equal ones alone are shown equal") {
    std::mt19937 random(7);
    const std::array<std::string_view, 8> parts{"void ", "k<", "int", ", ", "64", ">(", "float*", ")"};
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> names(2 + random() % 12);
        for (std::string& name : names)
            for (int i = static_cast<int>(random() % 9); i > 0; --i) name += parts[random() % parts.size()];
        const std::vector<std::string_view> full(names.begin(), names.end());
        const std::vector<std::string> shown = core::distinct_short_names(full);
        REQUIRE(shown.size() == full.size());
        std::map<std::string, std::string_view> meant;
        for (std::size_t i = 0; i < full.size(); ++i) {
            const auto [at, is_new] = meant.try_emplace(shown[i], full[i]);
            CHECK(at->second == full[i]);
        }
    }
}

TEST_CASE("a sequence of kernels is short names with arrows, repeats counted") {
    CHECK(core::describe_sequence("relu") == "relu");
    CHECK(core::describe_sequence("relu|relu|gemm|relu") == "relu \xC3\x97 2 \xE2\x86\x92 gemm \xE2\x86\x92 relu");
    CHECK(core::describe_sequence("a|a|a") == "a \xC3\x97 3");
    CHECK(core::describe_sequence("").empty());
}
