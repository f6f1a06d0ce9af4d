#pragma once
// How the candidate's bars are told from the baseline's without regard to colour: thin slanted lines over them.

#include <imgui.h>

namespace ui {

// Over a rectangle that is filled already; lines of neighbouring rectangles continue each other.
void draw_hatch(ImDrawList*, ImVec2 min, ImVec2 max);

}  // namespace ui
