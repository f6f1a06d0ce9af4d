#pragma once
// One line about what is open and about work in progress.

#include "ui/model/panel.hpp"
#include "ui/shell/saving.hpp"

#include <imgui.h>

namespace ui {

// frame_ms: of the last frame, or below 0 where it would not be told.
void draw_status_bar(Frame&, ImVec2 min, ImVec2 size, double frame_ms, const Notice&);

}  // namespace ui
