#pragma once
// Logs of the sample's GPUs, as monitors write them, for runs whose straggler has a low clock: its kernels take as much
// longer as its clock is lower. Equal options give equal bytes.

#include "core/base/result.hpp"
#include "core/sample/sample_run.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace core::sample {

struct ClockTrait {
    int slower_percent = 100;  // the straggler's kernels, and the others' clock, against its own
    std::string_view reason;  // "power": as straggler-causes says it
    std::uint64_t mask = 0;  // NVML's reason
    int watts = 0;
    int degrees = 0;
};
ClockTrait trait_of(ClockFault fault);  // not of None
inline constexpr int kFullClock = 1'980;  // MHz
inline int lowered_clock(ClockFault fault) { return kFullClock * 100 / trait_of(fault).slower_percent; }

// Writes nvidia-smi CSV, dmon, DCGM's exporter text and JSON lines; of more ranks than a host has GPUs JSON lines
// alone, which name ranks. The work is in [begin, end), ns since kBaseTimeNs.
Result<bool> write_gpu_logs(const std::filesystem::path& dir, const SampleOptions& options, std::int64_t begin_ns,
                            std::int64_t end_ns);

}  // namespace core::sample
