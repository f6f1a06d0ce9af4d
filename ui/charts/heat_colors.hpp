#pragma once
// The colours of a heat map. Values of one sign run from dark to light in even steps of lightness, on a light
// theme from light to dark, so that equal differences look equal, to colour-blind eyes too; where there are both signs,
// 0 is a grey near the panel's, below it blue, above it orange.

#include "ui/model/charts/heat_scale.hpp"

#include <imgui.h>

namespace ui {

ImU32 heat_color(const HeatScale&, double value);  // opaque; the value is finite

}  // namespace ui
