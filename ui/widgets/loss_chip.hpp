#pragma once
// Missing data of a run, in red: a chip that opens the panel Import, and its words for other places. The words come
// from core/doctor/losses.hpp.

#include "core/doctor/losses.hpp"
#include "ui/model/panel.hpp"

namespace ui {

inline constexpr std::size_t kMostLossLines = 12;  // of a tooltip

// Null while the run is read, and if nothing is lost.
std::shared_ptr<const core::Losses> losses_of(const core::Session&, core::Side);

float loss_chip_width(const core::Losses&, float most);
// Draws the headline at the cursor, or only a mark if the headline is wider than `width`.
void draw_loss_chip(const core::Losses&, core::Side, float most, std::vector<Intent>&);

std::size_t count_losses(const Frame&);  // of all runs: the badge on Import

}  // namespace ui
