#pragma once
// A row of tabs (text, the shown one underlined; the caller owns which is shown), and draggable
// splitters between areas.

#include "ui/model/panel.hpp"

#include <imgui.h>

namespace ui {

inline constexpr float kTabHeight = 32;  // at scale 1

// Draws the panels of a drawer at the cursor, panels on demand only if they are needed or shown. Returns the clicked
// panel or nullptr.
const PanelType* draw_tabs(Drawer drawer, std::string_view shown, const Frame& frame, float width,
                           const Frame* other = nullptr);

// Draws an invisible bar that lights up under the pointer. Returns the drag distance in this frame: along x if the bar
// is higher than wide, else along y.
float drag_splitter(const char* id, ImVec2 min, ImVec2 max);

}  // namespace ui
