#pragma once
// Numbers of two runs in words and columns: what | baseline | candidate | change. In tooltips and in panels.

#include "ui/model/charts/compared.hpp"

#include <imgui.h>

#include <string>
#include <string_view>

namespace ui {

// "only in the candidate"
std::string only_in(core::Side);
// Muted where the change is not worth a look, else one colour for more and one for less; the sign says it too.
ImU32 color_of_change(const Compared&);

void compared_tooltip_head();
void compared_tooltip_line(std::string_view name, const Compared&, core::Unit, ImU32 swatch = 0);

// Of a list in a panel: where its columns end, from the left of the line; 0: there is no room for that one.
struct ComparedColumns {
    float label;       // width
    float baseline;    // right ends
    float candidate;
    float change;
    float ratio;
};
ComparedColumns lay_out_compared(float width);
void draw_compared_head(ImDrawList*, ImVec2 at, const ComparedColumns&);
// A number that is absent is a dash; a number only one side has says so.
void draw_compared(ImDrawList*, ImVec2 at, const ComparedColumns&, const Compared&, core::Unit);

}  // namespace ui
