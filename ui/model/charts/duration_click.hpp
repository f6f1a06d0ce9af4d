#pragma once
// The filter after a click on a bar of a distribution of durations: events as long as the bar says. The same click
// again takes it back. No ImGui.

#include "core/query/duration_bins.hpp"
#include "core/query/filter.hpp"

#include <cstddef>

namespace ui {

core::DurationTerm durations_of_bin(const core::DurationBins&, std::size_t bin);
core::Filter with_durations(core::Filter, const core::DurationTerm&);

}  // namespace ui
