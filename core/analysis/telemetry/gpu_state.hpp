#pragma once
// States of GPUs that findings and lights share: clocks that are low on all ranks alike, and errors.

#include "core/analysis/telemetry/busy_samples.hpp"

namespace core {

// All ranks with a clock within 2 % of each other, at less than 90 % of the highest clock.
struct LowClocks {
    std::vector<std::uint32_t> slots;
    double clock = 0;  // MHz, the median of the ranks' means
    double most = 0;  // MHz: what the devices state, else the highest sample
    std::string reason{};  // "power"; empty: none of the samples has one in half of them
    std::string phrase{};
    // "all 4 ranks run at 1,410 of 1,980 MHz, power cap in 96 % of samples: …"
    std::string describe() const;
};
std::optional<LowClocks> find_low_clocks(const Run& run);

// The highest clock ratio of a rank against all others over the whole run; absent: no rank has one.
struct WorstClock {
    std::uint32_t slot = 0;
    ClockRatio ratio;
};
std::optional<WorstClock> find_worst_clock(const Run& run);

// "2 errors: Xid 63 (row remapped); 3 uncorrected memory errors more"; empty: none.
std::string describe_gpu_errors(const Telemetry& telemetry, std::uint32_t slot);
// Memory, link or bus: errors after which the GPU needs a check.
bool has_grave_errors(const Telemetry& telemetry, std::uint32_t slot);

}  // namespace core
