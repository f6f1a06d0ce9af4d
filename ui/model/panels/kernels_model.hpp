#pragma once
// The kernels of all ranks merged, from the answer of `kernels` (one row per rank, class and name):
// counts and totals add up, the mean is total / count, deviations combine exactly. No ImGui.

#include "core/analysis/engine/table.hpp"

namespace ui {

// Columns class, kernel, count, total, mean, min, max, stddev, share, count_share; longest total first.
// share: of the summed duration of all rows; count_share: of their events.
core::Table merge_ranks(const core::Table& kernels);

}  // namespace ui
