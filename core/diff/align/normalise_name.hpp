#pragma once
// Normalises kernel names so the same work pairs across libraries and devices: standalone numbers
// (template arguments, versions, counters) become N, tile sizes NxN, alignments and architectures
// alignN and smN; the part of a Tensile name after its tile is dropped. Types (f16, bf16,
// s1688gemm, float4) stay: they are different work.

#include <string>
#include <string_view>

namespace core {

// "ampere_sgemm_128x64_tn" → "ampere_sgemm_NxN_tn", "f<4, at::Half>(int)" → "f<N, at::Half>(int)". O(length).
std::string normalise_kernel_name(std::string_view name);

}  // namespace core
