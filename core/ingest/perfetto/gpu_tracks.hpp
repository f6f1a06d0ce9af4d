#pragma once
// GPU work among track events, by its shape, as every profiler has categories and names of its own: the name of a
// track or of its process, arguments that name a device with a queue or a stream, known categories, a flow that a
// launch began. A thread of the CPU is none of these.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

struct GpuTrack {
    bool is_gpu = false;
    std::optional<std::int64_t> device{};
    std::optional<std::int64_t> stream{};
};

// By names. `is_thread`: the track is a thread of a process, as some writers make queues of the GPU.
GpuTrack read_gpu_track(std::string_view track, std::string_view process, bool is_thread);

// Categories that PyTorch gives to anything but GPU work, on rows of the GPU too.
bool is_host_category(std::string_view category);
// Whether the category says GPU work, whatever the track.
bool is_gpu_category(std::string_view category);
// kernel, gpu_memcpy or gpu_memset.
std::string_view gpu_category_of(std::string_view category, std::string_view name);
// Category of an event that isn't GPU work: calls of the runtime, annotations, or as it was.
std::string_view host_category_of(std::string_view category, std::string_view name, bool is_thread);

}  // namespace core
