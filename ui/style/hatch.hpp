#pragma once
// Slanted lines over the candidate's bars, which distinguish them from the baseline's without
// colour.

#include <imgui.h>

namespace ui {

// Draws over a filled rectangle; lines continue across neighbouring rectangles.
void draw_hatch(ImDrawList*, ImVec2 min, ImVec2 max);

}  // namespace ui
