#pragma once
// The values of two sides as dots on one axis, the baseline above the candidate, with the means; and the interval in
// which the candidate's mean lies by the change's interval. Draws finished numbers.

#include "core/diff/join/tested.hpp"

#include <imgui.h>

namespace ui {

// Into a cell of a table. Faint: a row that did not change.
void draw_small_dot_strips(ImDrawList*, const core::Tested&, ImVec2 at, ImVec2 size, bool faint);
// An item of its own, with names, an axis and a tooltip of everything that is known.
void draw_dot_strips(const char* id, const core::Tested&, ImVec2 size);
// The lines of explain_tested in an open tooltip.
void tooltip_lines_of(const core::Tested&);
float dot_strips_height();

}  // namespace ui
