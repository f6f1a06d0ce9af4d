#pragma once
// A row of tabs (words, the shown one underlined; the caller owns which is shown), and the bars between
// areas that can be dragged.

#include "ui/model/panel.hpp"

#include <imgui.h>

namespace ui {

inline constexpr float kTabHeight = 32;  // at scale 1

// The panels of a drawer at the cursor, those on demand if they are wanted or shown; returns the one clicked, or
// nullptr.
const PanelType* draw_tabs(Drawer drawer, std::string_view shown, const UiState& state, float width,
                           const UiState* other = nullptr);

// An invisible bar over the rectangle that lights up when pointed at. Returns how far it was dragged in
// this frame, along x if it is higher than wide, else along y.
float drag_splitter(const char* id, ImVec2 min, ImVec2 max);

}  // namespace ui
