#pragma once
// Colours of a heat map. Values of one sign run in even steps of lightness from dark to light
// (light theme: from light to dark), so equal differences look equal, also to colour-blind users.
// With both signs, 0 is a grey near the panel's; negative values are blue, positive ones orange.

#include "core/charts/heat_scale.hpp"

#include <imgui.h>

namespace ui {

ImU32 heat_color(const core::HeatScale&, double value);  // opaque; value must be finite

}  // namespace ui
