#pragma once
// What a run lacks, in red: a chip that leads to the panel Import, and the words for other places. The words are
// those of core/doctor/losses.hpp.

#include "core/doctor/losses.hpp"
#include "ui/model/panel.hpp"

namespace ui {

inline constexpr std::size_t kMostLossLines = 12;  // of a tooltip

// Null while the run is read, and where nothing is lost.
std::shared_ptr<const core::Losses> losses_of(const core::Session&, core::Side);

float loss_chip_width(const core::Losses&, float most);
// At the cursor, at most that wide: the headline, else a mark alone.
void draw_loss_chip(const core::Losses&, core::Side, float most, std::vector<Intent>&);

std::size_t count_losses(const Frame&);  // of both runs of a comparison: the badge on Import

}  // namespace ui
