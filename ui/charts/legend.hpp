#pragma once
// Swatch and name of each part of a chart. Names that lead somewhere can be clicked; the chart's owner
// says what that does. With two runs, how their bars are told apart.

#include "ui/charts/notes.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

namespace ui {

struct BarPart {
    std::string name;
    ImU32 color = 0;
    bool clickable = false;
    bool off = false;          // the filter leaves it out
    std::string hint = {};     // what a click does
    std::string whole = {};    // the name where it was shortened
};

// On as many lines as the width asks for. Returns the part clicked; `pointed`, if given, becomes the one under
// the pointer. notes: what each part is, on hover beside what a click does.
std::optional<std::size_t> draw_legend(std::span<const BarPart>, float width,
                                       std::optional<std::size_t>* pointed = nullptr,
                                       const ChartNotes* notes = nullptr);
float legend_width(std::span<const BarPart>);

// "baseline | candidate" with the marks of their bars, on one line at the cursor.
void draw_sides_legend();
float sides_legend_width();

}  // namespace ui
