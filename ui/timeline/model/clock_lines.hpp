#pragma once
// Clocks, power and temperature of a rank's GPU as lines of the timeline, and why the clock was lowered as bands: the
// samples of core/analysis/telemetry, whether they are of a log or of the trace. Any thread; O(samples in the trace).

#include "ui/timeline/model/rank_series.hpp"

#include <vector>

namespace ui {

// Values of the bands, the gravest last.
enum class ClockBand : std::uint8_t { None, Idle, Set, Other, Power, Heat };

// first_tint: of the first of these lines.
void add_clock_lines(const core::Run& run, std::uint32_t slot, std::size_t first_tint, std::vector<SeriesLine>& lines);

}  // namespace ui
