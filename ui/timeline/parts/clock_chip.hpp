#pragma once
// The chip at the right end of the ruler: the clock of the run's ranks, its error, and a click to
// switch. Absent for a single rank.

#include "core/collectives/choose_clocks.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

namespace ui {

std::string describe_chip(const core::ClockFacts&, bool brief);  // "aligned · residual 1.1 µs · e 4.9 µs"
// The choice that a click makes; absent if the clocks cannot be compared.
std::optional<core::ClockChoice> switch_clocks(const core::ClockFacts&);
std::string explain_clocks(const core::ClockFacts&, core::ClockChoice chosen);
Box find_clock_chip(const TimelineFrame&);  // empty: no chip, or no room
void draw_clock_chip(TimelineFrame&);

}  // namespace ui
