#pragma once
// Waterfall chart: floating bars from one total to another, one per line. Increases go right,
// decreases left, and the sign is shown. If the plot does not begin at 0, the totals are drawn cut.
// Draws finished numbers and returns the bar under the pointer.

#include "ui/model/panels/waterfall_model.hpp"
#include "ui/widgets/notes.hpp"

#include <imgui.h>

namespace ui {

struct WaterfallHit {
    std::optional<std::size_t> hovered;    // index into the model's bars
    std::optional<std::size_t> clicked;
    std::optional<std::size_t> activated;  // double-clicked, after a click
};

// notes: about the model's bars.
WaterfallHit draw_waterfall(const char* id, const WaterfallModel&, const ChartNotes& notes, ImVec2 size);

}  // namespace ui
