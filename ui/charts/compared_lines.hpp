#pragma once
// Shows numbers of two runs as columns (label, baseline, candidate, change) in tooltips and panels.

#include "ui/model/charts/compared.hpp"

#include <imgui.h>

#include <string>
#include <string_view>

namespace ui {

// Muted for a negligible change, else the colour for the worse or the better; plain text if it is neither.
ImU32 color_of_change(const Compared&, core::Better);

void compared_tooltip_head();
void compared_tooltip_line(std::string_view name, const Compared&, core::Unit, ImU32 swatch = 0);

// Column positions of a list in a panel, from the left of the line; 0 if there is no room for the column.
struct ComparedColumns {
    float label;       // width
    float baseline;    // right ends
    float candidate;
    float change;
    float ratio;
};
ComparedColumns lay_out_compared(float width);
void draw_compared_head(ImDrawList*, ImVec2 at, const ComparedColumns&);
// Draws a dash for an absent number and names the side if only one has it.
void draw_compared(ImDrawList*, ImVec2 at, const ComparedColumns&, const Compared&, core::Unit,
                   core::Better = core::Better::ByUnit);

}  // namespace ui
