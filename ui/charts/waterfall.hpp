#pragma once
// Floating bars from one whole to another, a line each: what lengthens goes right, what shortens goes left, and the
// sign stands beside it. Where the plot does not begin at 0, the wholes are drawn cut. Handed finished numbers; draws
// and says what was pointed at.

#include "ui/charts/notes.hpp"
#include "ui/model/panels/waterfall_model.hpp"

#include <imgui.h>

namespace ui {

struct WaterfallHit {
    std::optional<std::size_t> hovered;    // of the model's bars
    std::optional<std::size_t> clicked;
    std::optional<std::size_t> activated;  // double-clicked; its first click came before
};

// notes: of the model's bars.
WaterfallHit draw_waterfall(const char* id, const WaterfallModel&, const ChartNotes& notes, ImVec2 size);

}  // namespace ui
