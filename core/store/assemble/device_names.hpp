#pragma once
// Names of devices, their streams and the rows that repeat their work, as profilers write them: the one home of these
// words, for all formats. Knows nothing of events.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

// The device that a process is named after: "/device:GPU:3" → 3, "GPU1" → 1, "Gaudi2 device 1" → 1, "RANK 1 DEVICE
// 1B:0.0" → 0. Nothing if the name speaks of more than ranks and devices; words in brackets may be anything.
std::optional<std::int32_t> find_device_in_name(std::string_view process);

// "stream 7", "Stream #17(Compute)", "queue 3", "GPU stream 2".
bool names_a_stream(std::string_view thread);

// Rows of XLA's devices that repeat the kernels of the streams, or name what they are for: modules, steps, scopes.
bool repeats_kernels(std::string_view row);
// XLA's operations: the work of a TPU; of a GPU they repeat its kernels.
bool names_xla_operations(std::string_view row);

struct GpuTrack {
    bool is_gpu = false;
    std::optional<std::int64_t> device{};
    std::optional<std::int64_t> stream{};
};

// One row by itself, with the name of its process. `is_thread`: it is a thread of the process, as some writers make
// queues of the GPU; other rows below a process are GPU work if they speak of a device, a queue or a stream at all.
GpuTrack read_gpu_track(std::string_view track, std::string_view process, bool is_thread);

std::string lower_case(std::string_view text);

}  // namespace core
