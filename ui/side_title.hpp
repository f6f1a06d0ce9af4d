#pragma once
// Which run of a comparison is below: a coloured tag, the side, the run's name.

#include "core/session/session.hpp"

#include <imgui.h>

namespace ui {

inline constexpr float kSideTitle = 22;  // at scale 1

void draw_side_title(const core::Session&, core::Side, ImVec2 min, float width);

}  // namespace ui
