#pragma once
// Draws the volcano chart of a comparison (core/charts/volcano_layout). Draws finished numbers and
// returns the row under the pointer.

#include "ui/model/panels/tested_rows.hpp"

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>

namespace ui {

struct VolcanoHit {
    std::optional<std::size_t> hovered;  // rows of the comparison
    std::optional<std::size_t> clicked;
    std::optional<std::size_t> activated;  // double-clicked, after a click
};

struct Volcano {
    std::span<const VolcanoPoint> points;
    std::function<bool(RowVerdict)> shows;           // others are left out
    std::function<std::string(std::size_t)> name_of;  // of a row
    std::function<void(std::size_t)> explain;         // the tooltip of a row
};
VolcanoHit draw_volcano(const char* id, const Volcano&, ImVec2 size);

// Colour for a change to the better, to the worse, or neither.
ImU32 color_of_verdict(RowVerdict);

}  // namespace ui
