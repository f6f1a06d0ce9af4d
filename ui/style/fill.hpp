#pragma once
// Draws opaque rectangles as scissored clears: on a software renderer a large ImGui fill costs more than
// the rest of the frame, a clear almost nothing. Keeps the draw order and clip rectangle of the
// list. Edges are rounded to pixels. ImGui draws colours that are not opaque.

#include <imgui.h>

namespace ui {

void fill(ImDrawList*, ImVec2 min, ImVec2 max, ImU32 color);

// For draw callbacks: sets the scissor to the command's clip rectangle in framebuffer pixels (the backend does not);
// false if it is empty.
bool set_scissor(const ImDrawCmd&);

}  // namespace ui
