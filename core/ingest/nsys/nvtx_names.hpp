#pragma once
// Texts of NVTX ranges and CUDA calls as names: PyTorch's emit_nvtx puts sequence numbers and shapes behind a name,
// CUPTI a version.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

struct NvtxName {
    std::string_view name;
    bool is_operator = false;  // written by PyTorch's emit_nvtx
    std::optional<std::int64_t> sequence;
    std::optional<std::int64_t> op_id;
    std::string_view sizes;  // as written; empty: none
};
// "aten::mm, seq = 123, op_id = 317149, sizes = [[2, 3]]" → aten::mm, 123, 317149, [[2, 3]].
NvtxName split_nvtx_name(std::string_view text);

// "cudaLaunchKernel_v7000" → "cudaLaunchKernel".
std::string_view without_version(std::string_view call);

}  // namespace core
