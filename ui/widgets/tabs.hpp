#pragma once
// A row of tabs (text, the shown one underlined; the caller owns which is shown), and draggable
// splitters between areas.

#include "ui/model/panel.hpp"

#include <imgui.h>

namespace ui {

inline constexpr float kTabHeight = 32;  // at scale 1

// The panels of a drawer at the cursor, those on demand if they are wanted or shown; returns the one clicked, or
// nullptr.
const PanelType* draw_tabs(Drawer drawer, std::string_view shown, const Frame& frame, float width,
                           const Frame* other = nullptr);

// An invisible bar that lights up under the pointer. Returns the drag distance in this frame: along x if the bar is
// higher than wide, else along y.
float drag_splitter(const char* id, ImVec2 min, ImVec2 max);

}  // namespace ui
