#pragma once
// Derives the work of a kernel from its name. Names are compared as written, up to their parameters.

#include <string_view>

namespace core {

// Part of a matrix product, convolution or attention: "…gemm…" but not fbgemm, "Cijk_…", "…flash…".
bool is_matrix_kernel(std::string_view kernel);
// Computes on fp32 matrices in tf32.
bool is_tf32_kernel(std::string_view kernel);
// One of PyTorch's own or of its compiler's that does no matrix work.
bool is_plain_kernel(std::string_view kernel);

}  // namespace core
