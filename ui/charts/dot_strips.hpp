#pragma once
// Draws the values of two sides as dots (core/charts/strips_layout). Draws finished numbers.

#include "core/diff/join/tested.hpp"

#include <imgui.h>

namespace ui {

// Draws into a cell of a table. Faint: a row that did not change.
void draw_small_dot_strips(ImDrawList*, const core::Tested&, ImVec2 at, ImVec2 size, bool faint);
// Draws an item of its own, with names, an axis and a tooltip of the test.
void draw_dot_strips(const char* id, const core::Tested&, ImVec2 size);
// Adds the lines of explain_tested to an open tooltip.
void tooltip_lines_of(const core::Tested&);
float dot_strips_height();

}  // namespace ui
