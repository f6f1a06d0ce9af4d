#pragma once
// Which runtime and driver calls put work on a GPU, by their names, for every vendor: CUDA, HIP, Level Zero and SYCL,
// MTIA, Ascend. Copies and sets may be done by the CPU, and launches in a capture run later: see core/doctor.

#include "core/base/ascii.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace core {

enum class LaunchKind : std::uint8_t { None, Kernel, Graph, Copy };

inline LaunchKind launch_kind(std::string_view name) {
    const auto has_any = [&](std::initializer_list<std::string_view> words) {
        return std::ranges::any_of(words, [&](std::string_view word) { return contains_any_case(name, word); });
    };
    // cudaLaunchKernelExC, hipExtModuleLaunchKernel, zeCommandListAppendLaunchKernel; urEnqueueKernelLaunch,
    // piEnqueueKernelLaunch, rtKernelLaunch.
    if (has_any({"LaunchKernel", "KernelLaunch", "LaunchCooperativeKernel", "LaunchMultiKernel"}))
        return LaunchKind::Kernel;
    if (name == "runFunction" || name == "zeCommandQueueExecuteCommandLists") return LaunchKind::Kernel;
    if (has_any({"GraphLaunch", "EnqueueCommandBuffer"})) return LaunchKind::Graph;
    if (has_any({"Memcpy", "Memset", "MemBufferCopy", "AppendMemoryCopy", "USMFill", "USMMemcpy"}))
        return LaunchKind::Copy;
    return LaunchKind::None;
}

inline bool launches_kernels(LaunchKind kind) { return kind == LaunchKind::Kernel || kind == LaunchKind::Graph; }

}  // namespace core
