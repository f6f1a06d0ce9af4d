#pragma once
// Imports the axes of core/export into namespace ui.

#include "core/export/axis.hpp"

namespace ui {

using core::Axis;
using core::format_value;
using core::make_axis;
using core::make_share_axis;

}  // namespace ui
