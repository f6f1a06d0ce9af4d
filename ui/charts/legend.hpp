#pragma once
// Swatch and name of each part of a chart. Names that lead somewhere can be clicked; the chart's owner
// says what that does.

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

namespace ui {

struct BarPart {
    std::string name;
    ImU32 color = 0;
    bool clickable = false;
};

// On as many lines as the width asks for. Returns the part clicked.
std::optional<std::size_t> draw_legend(std::span<const BarPart>, float width);
float legend_width(std::span<const BarPart>);

}  // namespace ui
