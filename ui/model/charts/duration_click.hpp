#pragma once
// Filter after a click on a bar of a duration distribution: keeps events within the bar's range.
// The same click again removes it. No ImGui.

#include "core/query/duration_bins.hpp"
#include "core/query/filter.hpp"

#include <cstddef>

namespace ui {

core::DurationTerm durations_of_bin(const core::DurationBins&, std::size_t bin);
core::Filter with_durations(core::Filter, const core::DurationTerm&);

}  // namespace ui
