#pragma once
// The alignment of two runs: as text, and as a menu.

#include "ui/model/panel.hpp"

namespace ui {

// "step 12", "the starts", "gemm", in that side's own numbers and names. Empty unless two runs are aligned.
std::string format_alignment(const core::Session&, core::Side);

// The pair of steps at a moment of one side: the last that has begun. Nullopt before the first.
std::optional<core::BySide<std::int64_t>> find_step_at(const core::RunAlignment&, core::Side, core::RunTime);

// Draws the content of an open popup; pushes the choice. step: the pair to offer first.
void draw_align_menu(Frame&, const std::optional<core::BySide<std::int64_t>>& step);

}  // namespace ui
