#include "core/ingest/perfetto/gpu_tracks.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace core {
namespace {

std::string lower(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), lower_ascii);
    return small;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return has(text, part); });
}

// The first number at or behind one of the words: 3 of "queue 3", "queue [3]", "stream #3", "gpu:3".
std::optional<std::int64_t> number_behind(std::string_view text, std::initializer_list<std::string_view> words) {
    constexpr std::string_view kBetween = " #[(:-_id";
    for (const std::string_view word : words) {
        for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
            std::size_t digit = at + word.size();
            while (digit < text.size() && has(kBetween, text.substr(digit, 1))) ++digit;
            std::int64_t number = 0;
            const auto [end, error] = std::from_chars(text.data() + digit, text.data() + text.size(), number);
            if (error == std::errc{} && number >= 0) return number;
        }
    }
    return std::nullopt;
}

bool has_digit(std::string_view text) { return std::ranges::any_of(text, is_digit); }

bool names_device(std::string_view process) {
    return process.starts_with("/device:") || process.starts_with("gpu") ||
           (has(process, "gpu") && has_digit(process) && !has(process, "cpu"));
}

// Rows that repeat the work of other rows: modules, steps, scopes.
bool repeats_work(std::string_view track, std::string_view process) {
    return has_any(track,
                   {"xla modules", "xla traceme", "steps", "framework", "source code", "name scope", "tf ops"}) ||
           (track == "xla ops" && has(process, "gpu"));
}

bool names_gpu_work(std::string_view track) {
    if (has(track, "cpu") && !has(track, "gpu")) return false;
    if (has_any(track, {"gpu", "kernel dispatch", "hip activity", "hip stream", "cuda stream",
                        "/device:", "memory copy to", "copy to agent"}))
        return true;
    return number_behind(track, {"queue", "stream", "device", "agent"}).has_value();
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

GpuTrack read_gpu_track(std::string_view track_name, std::string_view process_name, bool is_thread) {
    const std::string track = lower(track_name), process = lower(process_name);
    GpuTrack found;
    if (is_thread) {
        const bool is_stream =
            (track.starts_with("stream") || track.starts_with("queue")) && number_behind(track, {"stream", "queue"});
        found.is_gpu = is_stream || (names_device(process) && !repeats_work(track, process));
    } else {
        found.is_gpu = !repeats_work(track, process) && (names_gpu_work(track) || names_device(process));
    }
    if (!found.is_gpu) return found;
    found.device = number_behind(track, {"gpu", "device"});
    if (!found.device) found.device = number_behind(process, {"gpu", "tpu", "device"});
    if (!found.device) found.device = number_behind(track, {"dispatch", "agent"});
    found.stream = number_behind(track, {"queue", "stream"});
    // "GPU Kernel Dispatch [0] Queue 1"
    if (const auto dispatch = number_behind(track, {"dispatch", "activity"}); dispatch && has(track, "dispatch"))
        found.device = dispatch;
    return found;
}

bool is_host_category(std::string_view category) {
    constexpr std::string_view kHost[] = {
        "cpu_op",          "user_annotation", "gpu_user_annotation", "cuda_runtime",      "cuda_driver",
        "python_function", "overhead",        "cuda_sync",           "cpu_instant_event", "xpu_runtime"};
    return std::ranges::find(kHost, category) != std::end(kHost);
}

bool is_gpu_category(std::string_view category) {
    const std::string name = lower(category);
    return has_any(name, {"kernel_dispatch", "memory_copy", "gpu_memcpy", "gpu_memset", "device_hip", "device_activity",
                          "hip_activity"}) ||
           name == "kernel" || name == "gpu_op";
}

std::string_view gpu_category_of(std::string_view category, std::string_view name) {
    const std::string both = lower(category) + " " + lower(name);
    if (has_any(both, {"memset", "fillbuffer"})) return "gpu_memset";
    const bool is_copy = has_any(both, {"memcpy", "memory_copy", "memory copy", "copybuffer"}) ||
                         (has(both, "copy") && has_any(both, {"hosttodevice", "devicetohost", "devicetodevice",
                                                              "host_to_device", "device_to_host", "device_to_device"}));
    return is_copy ? "gpu_memcpy" : "kernel";
}

std::string_view host_category_of(std::string_view category, std::string_view name, bool is_thread) {
    const std::string plain = lower(category);
    if (has_any(plain, {"marker", "roctx", "nvtx"})) return "user_annotation";
    if (has_any(plain, {"hip", "cuda"}) && has_any(plain, {"api", "runtime"})) return "cuda_runtime";
    return is_thread && is_runtime_call(name) ? "cuda_runtime" : category;
}

}  // namespace core
