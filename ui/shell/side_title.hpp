#pragma once
// Title of one side of a comparison: a coloured tag, the side, the run's name. Above a timeline also the alignment, the
// number of ranks and steps of this run alone, and the switches of the comparison.

#include "ui/model/panel.hpp"

#include <imgui.h>

#include <functional>

namespace ui {

inline constexpr float kSideTitle = 22;  // at scale 1

// taken: the width at the right end that the run's name leaves free.
void draw_side_title(const core::Session&, core::Side, ImVec2 min, float width, float taken = 0);
void draw_timeline_title(Frame&, ImVec2 min, float width);

// Splits the rest of the window into two halves, each below its side's title; `draw` gets a frame of that side alone.
void draw_side_by_side(Frame& both, const std::function<void(Frame& own)>& draw);

}  // namespace ui
