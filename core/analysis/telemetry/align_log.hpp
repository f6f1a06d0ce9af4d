#pragma once
// The zone of a log's times: the offset to UTC at which the log covers what the GPUs of the traces did.

#include "core/analysis/telemetry/rank_samples.hpp"

#include <span>

namespace core {

// Three median intervals of the samples; a minute where there is one sample.
std::int64_t hold_of(std::span<const std::int64_t> times);

// The share of [begin, end) that the samples stand for, each until the next one, `hold` at most.
double coverage_of(std::span<const std::int64_t> times, std::int64_t hold, std::int64_t begin, std::int64_t end);

// Offsets, in nanoseconds that the log's times are ahead of UTC, at which it covers at least 80 % of the window. Of a
// log that knows its zone 0, if any sample is in the window.
std::vector<std::int64_t> find_offsets(const TelemetryLog& log, TelemetryWindow window);

// Pearson's correlation of as many numbers; absent: one of both never changes.
std::optional<double> correlate(std::span<const double> a, std::span<const double> b);

// How alike a GPU's samples and the busy share of a rank between them are, −1 to 1: by utilisation, else power, else
// clock. Absent: fewer than eight samples, or one of both never changes.
std::optional<double> compare_activity(const GpuSamples& samples, std::int64_t offset, const RankSlot& rank);

}  // namespace core
