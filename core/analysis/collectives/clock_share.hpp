#pragma once
// How much of a late rank's slower kernels its SM clock accounts for. Definitions: docs/definitions.md,
// straggler-causes.

#include "core/analysis/telemetry/busy_samples.hpp"
#include "core/collectives/waits.hpp"

#include <map>
#include <set>
#include <string>

namespace core {

inline constexpr std::string_view kClocksCause = "clocks";
inline constexpr std::string_view kSameClockCause = "slower kernels at the same clock";

struct ClockShare {
    ClockRatio ratio;
    std::int64_t excess = 0;  // ns of a step that kernels take longer than the peers' median
    std::int64_t explained = 0;  // ns of that the clock ratio accounts for
    std::int64_t time = 0, peer_time = 0;  // ns of the kernels with an excess
    double explained_part() const {
        return excess > 0 ? static_cast<double>(explained) / static_cast<double>(excess) : 0;
    }
    double kernel_ratio() const {
        return peer_time > 0 ? static_cast<double>(time) / static_cast<double>(peer_time) : 0;
    }
};

// Measures the last rank of a collective, in the step of its arrival, against the other members. The clock ratio is of
// the steps in which the rank is late.
ClockShare measure_clock_share(const Run& run, const Waits& waits, std::uint32_t collective, std::int64_t step);

// "its SM clock is 1,410 MHz, the others' 1,980 (power cap in 100 % of samples); its kernels take 1.404 times as long,
// which is the clock ratio"
std::string format_clock_share(const ClockShare& share);
std::string format_clock_share(const ClockRatio& ratio, double kernel_ratio);

// The steps in which waits of others go back to a rank for more than 1 % of a step for each of them, by slot.
struct LateSteps {
    std::map<std::uint32_t, std::set<std::int64_t>> of_slot;
};
std::shared_ptr<const LateSteps> late_steps_of(const Run& run);

// The clock ratio of a rank over its late steps, against all other ranks; not known where it is never late.
ClockRatio late_clock_of(const Run& run, std::uint32_t slot);

}  // namespace core
