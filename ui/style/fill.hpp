#pragma once
// Draws opaque rectangles as scissored clears: on a software renderer a large ImGui fill costs more than
// the rest of the frame, a clear almost nothing. Keeps the draw order and clip rectangle of the
// list. Edges are rounded to pixels. ImGui draws colours that are not opaque.

#include <imgui.h>

namespace ui {

void fill(ImDrawList*, ImVec2 min, ImVec2 max, ImU32 color);

// The callback of such a clear: its rectangle is the command's clip rectangle, so no data has to outlive the frame.
// Renderers recognise it by address and never call it.
void fill_marker(const ImDrawList*, const ImDrawCmd*);
ImU32 fill_color(const ImDrawCmd&);  // of a command with that callback

}  // namespace ui
