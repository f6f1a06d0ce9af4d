#pragma once
// The axes of core/export by the window's names.

#include "core/export/axis.hpp"

namespace ui {

using core::Axis;
using core::format_value;
using core::make_axis;
using core::make_share_axis;

}  // namespace ui
