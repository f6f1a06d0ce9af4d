#pragma once
// How much of a late rank's slower kernels its SM clock accounts for. Definitions: docs/definitions.md,
// straggler-causes.

#include "core/analysis/telemetry/busy_samples.hpp"
#include "core/collectives/waits.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace core {

inline constexpr std::string_view kClocksCause = "clocks";
inline constexpr std::string_view kSameClockCause = "slower kernels at the same clock";

struct ClockShare {
    ClockRatio ratio;
    std::int64_t excess = 0;  // ns of a step that kernels take longer than the peers' median
    std::int64_t explained = 0;  // ns of that the clock ratio accounts for
    std::int64_t time = 0, peer_time = 0;  // ns of the kernels with an excess, in all late steps of the rank
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

// "its SM clock is 1,410 MHz, the others' 1,980, power cap in 100 % of samples; its kernels take 1.404 times as long,
// which is the clock ratio": the same words wherever the cause is stated.
std::string format_clock_share(const ClockShare& share);
std::string format_clock_share(const ClockRatio& ratio, double kernel_ratio);

// The steps in which waits of others go back to a rank for more than 1 % of a step for each of them, by slot.
struct LateSteps {
    std::map<std::uint32_t, std::set<std::int64_t>> of_slot;
    std::map<std::uint32_t, std::map<std::int64_t, std::int64_t>> waits;  // ns of all others, in every step
};
std::shared_ptr<const LateSteps> late_steps_of(const Run& run);

// Consecutive steps of a rank that are late.
struct LateEpisode {
    std::int64_t first = 0, last = 0;  // numbers of steps
    std::int64_t steps = 0;
    RankRange range{};
};
// How a rank's lateness comes back over its numbered steps.
struct Recurrence {
    std::int64_t steps = 0;  // of the rank; 0: its trace has none
    std::int64_t late = 0;
    Duration wait{0};  // of each other rank in a late step, on average
    std::vector<LateEpisode> episodes{};  // ascending
    bool ends_late = false;  // the last step is late
    std::optional<double> correlation{};  // of the wait of a step with the mean clock in it; from 8 steps on
    std::int64_t correlated = 0;  // steps that it is of
};
Recurrence recurrence_of(const Run& run, std::uint32_t slot);
// "in 10 of 20 steps, from step 10 on"; empty without steps or lateness.
std::string format_recurrence(const Recurrence& recurrence);
// "rank 2 is waited for 55 ms a step in 20 of 20 steps"
std::string format_waited_for(const Run& run, std::uint32_t slot);

}  // namespace core
