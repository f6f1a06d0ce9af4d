#pragma once
// Opaque rectangles as scissored clears: on a software renderer a large ImGui fill costs more than all else
// on the screen, a clear next to nothing. Drawn in order with the rest of the list, inside its clip rectangle.
// Edges fall on whole pixels. A colour that is not opaque is drawn by ImGui as usual.

#include <imgui.h>

namespace ui {

void fill(ImDrawList*, ImVec2 min, ImVec2 max, ImU32 color);

// For draw callbacks: sets the scissor to the command's clip rectangle (the backend does not), in framebuffer
// pixels; false if nothing of it is visible.
bool set_scissor(const ImDrawCmd&);

}  // namespace ui
