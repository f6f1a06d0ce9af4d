#include "core/ingest/perfetto/gpu_tracks.hpp"

#include <algorithm>
#include <initializer_list>

namespace core {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return has(text, part); });
}

// hipLaunchKernel, cudaMemcpyAsync
bool is_runtime_call(std::string_view name) {
    for (const std::string_view prefix : {"hip", "cuda"}) {
        if (!name.starts_with(prefix) || name.size() <= prefix.size()) continue;
        const char next = name[prefix.size()];
        if (next >= 'A' && next <= 'Z') return true;
    }
    return false;
}

}  // namespace

bool is_host_category(std::string_view category) {
    constexpr std::string_view kHost[] = {
        "cpu_op",          "user_annotation", "gpu_user_annotation", "cuda_runtime",      "cuda_driver",
        "python_function", "overhead",        "cuda_sync",           "cpu_instant_event", "xpu_runtime"};
    return std::ranges::find(kHost, category) != std::end(kHost);
}

bool is_gpu_category(std::string_view category) {
    const std::string name = lower_case(category);
    return has_any(name, {"kernel_dispatch", "memory_copy", "gpu_memcpy", "gpu_memset", "device_hip", "device_activity",
                          "hip_activity"}) ||
           name == "kernel" || name == "gpu_op";
}

std::string_view gpu_category_of(std::string_view category, std::string_view name) {
    const std::string both = lower_case(category) + " " + lower_case(name);
    if (has_any(both, {"memset", "fillbuffer"})) return "gpu_memset";
    const bool is_copy = has_any(both, {"memcpy", "memory_copy", "memory copy", "copybuffer"}) ||
                         (has(both, "copy") && has_any(both, {"hosttodevice", "devicetohost", "devicetodevice",
                                                              "host_to_device", "device_to_host", "device_to_device"}));
    return is_copy ? "gpu_memcpy" : "kernel";
}

std::string_view host_category_of(std::string_view category, std::string_view name, bool is_thread) {
    const std::string plain = lower_case(category);
    if (has_any(plain, {"marker", "roctx", "nvtx"})) return "user_annotation";
    if (has_any(plain, {"hip", "cuda"}) && has_any(plain, {"api", "runtime"})) return "cuda_runtime";
    return is_thread && is_runtime_call(name) ? "cuda_runtime" : category;
}

}  // namespace core
