#include "core/diff/align/normalise_name.hpp"

#include <doctest/doctest.h>

using core::normalise_kernel_name;

TEST_CASE("tile sizes and standalone numbers are replaced") {
    CHECK(normalise_kernel_name("ampere_sgemm_128x64_tn") == "ampere_sgemm_NxN_tn");
    CHECK(normalise_kernel_name("ampere_sgemm_32x32_sliced1x4_nn") == "ampere_sgemm_NxN_sliced1x4_nn");
    CHECK(normalise_kernel_name("cutlass_80_tensorop_s1688gemm_128x128_32x3_nt_align4") ==
          "cutlass_N_tensorop_s1688gemm_NxN_NxN_nt_alignN");
    CHECK(normalise_kernel_name("nvjet_hsh_128x64_64x5_1x2_h_bz_coopA_NNN") == "nvjet_hsh_NxN_NxN_NxN_h_bz_coopA_NNN");
    CHECK(normalise_kernel_name("triton_poi_fused_add_mul_17") == "triton_poi_fused_add_mul_N");
    CHECK(normalise_kernel_name("ProfilerStep#1009") == "ProfilerStep#N");
    CHECK(normalise_kernel_name("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4") ==
          "smN_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesizeNxNxN_stageN");
}

TEST_CASE("numbers in template arguments are replaced, types are kept") {
    CHECK(normalise_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
                                "std::array<char*, 1ul> >(int, float4)") ==
          "void at::native::vectorized_elementwise_kernel<N, at::native::FillFunctor<float>, "
          "std::array<char*, N> >(int, float4)");
    CHECK(normalise_kernel_name("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
          "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<N>)");
    CHECK(normalise_kernel_name("f<c10::BFloat16, 0x10>") == "f<c10::BFloat16, NxN>");
}

TEST_CASE("the part of a Tensile kernel's name after its tile is dropped") {
    CHECK(normalise_kernel_name("Cijk_Alik_Bljk_BBS_BH_UserArgs_MT192x16x128_MI16x16x1_SN_LDSB1_AFC0") ==
          "Cijk_Alik_Bljk_BBS_BH_UserArgs_MTNxNxN");
    CHECK(normalise_kernel_name("Cijk_Alik_Bljk_BBS_BH") == "Cijk_Alik_Bljk_BBS_BH");
}

TEST_CASE("names without such numbers are unchanged, and normalising twice changes nothing") {
    for (const char* const name : {"", "aten::mm", "Memcpy DtoD (Device -> Device)", "conv2d_grouped", "x", "128y64",
                                   "void (anonymous namespace)::softmax_warp_forward<float>"})
        CHECK(normalise_kernel_name(name) == name);
    const std::string once =
        normalise_kernel_name("cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8");
    CHECK(normalise_kernel_name(once) == once);
}
