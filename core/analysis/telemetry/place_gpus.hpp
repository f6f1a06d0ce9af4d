#pragma once
// Which GPU of a log is which rank: by a rank in the log, the user's map or NCCL's logs, or by the GPU's number on its
// host. Never a guess that nothing supports: such GPUs have no rank.

#include "core/analysis/telemetry/rank_samples.hpp"

#include <functional>
#include <span>

namespace core {

struct PlacedGpu {
    std::vector<std::uint32_t> slots{};  // the captures of its rank; empty: none
    std::string_view how{};  // "by UUID"
    bool is_measured = false;
};

struct GpuPlaces {
    std::vector<std::vector<PlacedGpu>> logs;  // by log and GPU in it
    std::vector<LogFate> fates;  // Used, OtherDevice or Unmapped
    std::vector<std::string> why;
};

// How alike the activity of a rank and of a GPU in a log are, −1 to 1; absent: unknown.
using Likeness = std::function<std::optional<double>(std::size_t log, std::size_t gpu, std::uint32_t slot)>;

// in_time: by log; the others place nothing.
GpuPlaces place_gpus(const Run& run, const TelemetryLogs& logs, const std::vector<bool>& in_time,
                     const Likeness& likeness);

// The ranks on the host of a GPU, by slot; empty: its host is none of the run's, or cannot be known.
std::vector<std::uint32_t> slots_on_host(const Run& run, const LoggedGpu& gpu, const std::filesystem::path& log);

// "00000000:41:00.0" and "0000:41:00" as "41000", which NCCL writes.
std::string plain_bus(std::string_view bus);

}  // namespace core
