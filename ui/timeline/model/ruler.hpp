#pragma once
// Round times for the ruler and the grid: multiples of 1, 2 or 5 × 10^k ns (at least 1 ns) from the
// run's origin, as dense as their labels allow. Positions come from the TimeView, so they are
// exact.

#include "ui/model/time_view.hpp"

#include <string>
#include <vector>

namespace ui {

struct Tick {
    float px = 0;               // whole pixels from the plot's left edge
    core::Duration offset{0};   // from the origin
};

core::Duration choose_tick_step(double px_per_ns, double least_px);
// Ticks within the plot, left to right, plus the one before its left edge.
std::vector<Tick> collect_ticks(const TimeView&, core::RunTime origin, core::Duration step);

}  // namespace ui
