#include "core/analysis/efficiency/kernel_names.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kMatrixParts[] = {"Cijk_",    "cutlass", "xmma",       "wgrad",      "dgrad",     "fprop",
                                             "winograd", "flash",   "fmha",       "attention",  "attn",      "mha_",
                                             "nvjet",    "bmm_",    "moe",        "triton_tem", "triton_mm", "matmul",
                                             "scudnn",   "gemv",    "dot_kernel", "_mm_kernel", "sage_fwd"};
constexpr std::string_view kTf32Parts[] = {"tf32", "xf32", "s1688gemm", "s1688fprop", "s1688dgrad", "s1688wgrad"};
constexpr std::string_view kPlainStarts[] = {"void at::",   "void c10::",  "triton_poi_",
                                             "triton_red_", "triton_per_", "triton_for_"};

// True if `part` occurs, neither after `not_before` nor followed by `not_after`.
bool has_part(std::string_view name, std::string_view part, std::string_view not_before, std::string_view not_after) {
    for (std::size_t at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) {
        const bool before = !not_before.empty() && name.substr(0, at).ends_with(not_before);
        const bool after = !not_after.empty() && name.substr(at + part.size()).starts_with(not_after);
        if (!before && !after) return true;
    }
    return false;
}

}  // namespace

bool is_matrix_kernel(std::string_view kernel) {
    const std::string_view name = kernel.substr(0, kernel.find('('));
    const auto occurs = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    return std::ranges::any_of(kMatrixParts, occurs) || has_part(name, "gemm", "fb", "") ||
           has_part(name, "conv", "", "ert");
}

bool is_tf32_kernel(std::string_view kernel) {
    return std::ranges::any_of(kTf32Parts,
                               [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; });
}

bool is_plain_kernel(std::string_view kernel) {
    return kernel.find("at::native::") != std::string_view::npos ||
           std::ranges::any_of(kPlainStarts, [&](std::string_view start) { return kernel.starts_with(start); });
}

}  // namespace core
