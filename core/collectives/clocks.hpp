#pragma once
// Clocks of ranks measured from collectives that their members leave together (docs/definitions.md, clock-alignment).
// Model: a rank's clock shows true time + offset + drift · (t − middle). Times are integer nanoseconds on the recorded
// clock of the run.

#include "core/collectives/collective.hpp"

#include <optional>
#include <span>

namespace core {

// One member of a collective that tells about clocks.
struct ClockSample {
    std::uint32_t rank = 0;  // of the cohort, 0 … ranks − 1
    std::int64_t start = 0;
    std::int64_t end = 0;
};

struct ClockEvidence {
    std::uint32_t first = 0;  // into ClockProblem::samples
    std::uint32_t count = 0;
    std::int64_t shortest = 0;  // duration of its shortest member
    bool together = false;  // all members leave it at one moment
};

struct ClockProblem {
    std::uint32_t ranks = 0;
    std::vector<ClockSample> samples;
    std::vector<ClockEvidence> evidence;
    bool wants_drift = true;
    std::uint32_t least_for_drift = 12;  // collectives on every rank
    double drift_saves = 0.30;  // of the noise, or there is no drift
};

struct MeasuredClock {
    std::int64_t offset = 0;  // ns that the clock is ahead
    double drift = 0;  // ns per ns
    std::int64_t middle = 0;
    std::int64_t noise = 0;  // weighted median of |residual|
    std::uint32_t collectives = 0;
    std::uint32_t part = 0;  // ranks of one part share evidence, directly or through others
    std::int64_t to_true(std::int64_t t) const;
};

struct ClockFit {
    std::vector<MeasuredClock> ranks;
    std::int64_t residual = 0;  // weighted median
    std::int64_t residual_p90 = 0;
    std::int64_t width = 0;  // largest difference of offsets within a part
    bool any = false;  // there was evidence
};

ClockFit fit_clocks(const ClockProblem&);

// The value below which half of the weight lies; of equal halves the middle of both values. Sorts its input.
struct Weighted {
    double value = 0;
    double weight = 0;
};
double take_weighted_quantile(std::vector<Weighted>& values, double share);
// Rounds half up.
std::int64_t take_middle(std::vector<std::int64_t>& values);

}  // namespace core
