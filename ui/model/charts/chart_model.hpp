#pragma once
// Imports the charts of one or two answers of core/export into namespace ui.

#include "core/export/comparison_chart.hpp"

namespace ui {

using core::ChartModel;
using core::ComparisonChart;
using core::side_table;

}  // namespace ui
