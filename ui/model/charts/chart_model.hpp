#pragma once
// The chart of an answer, and of two, by the window's names.

#include "core/export/comparison_chart.hpp"

namespace ui {

using core::ChartModel;
using core::ComparisonChart;
using core::side_table;

}  // namespace ui
