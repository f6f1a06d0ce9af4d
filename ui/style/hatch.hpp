#pragma once
// Slanted lines over the candidate's bars. They distinguish both runs without colour, which stands for
// the parts.

#include <imgui.h>

namespace ui {

// Draws over a filled rectangle; lines continue across neighbouring rectangles.
void draw_hatch(ImDrawList*, ImVec2 min, ImVec2 max);

}  // namespace ui
