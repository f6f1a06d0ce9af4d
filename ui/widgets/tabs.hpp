#pragma once
// A row of tabs (text, the shown one underlined; the caller owns which is shown), and draggable
// splitters between areas.

#include "ui/model/panel.hpp"

#include <imgui.h>

#include <vector>

namespace ui {

inline constexpr float kTabHeight = 32;  // at scale 1

// The panels that a drawer of this width shows when this one is chosen: it alone, or two of its tab side by side.
std::vector<const PanelType*> drawn_together(const PanelType& chosen, float width);

// Draws the tabs of a drawer at the cursor: panels that have one now, and the parts of the chosen one's tab that are
// not drawn with it. Returns the clicked panel or nullptr.
const PanelType* draw_tabs(Drawer drawer, std::string_view chosen, const Frame& frame, float width,
                           const Frame* other = nullptr);

// Draws an invisible bar that lights up under the pointer. Returns the drag distance in this frame: along x if the bar
// is higher than wide, else along y.
float drag_splitter(const char* id, ImVec2 min, ImVec2 max);

}  // namespace ui
