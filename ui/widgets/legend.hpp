#pragma once
// Swatch and name of each part of a chart. Returns clicks on names; the chart's owner handles them.
// With two runs, also shows how their bars differ.

#include "ui/widgets/notes.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

namespace ui {

struct BarPart {
    std::string name;
    ImU32 color = 0;
    bool clickable = false;
    bool off = false;          // excluded by the filter
    std::string hint = {};     // effect of a click
    std::string whole = {};    // full name if `name` is shortened
};

// Draws the legend, wrapped to the width. Returns the clicked part; `pointed`, if given, is set to the part under the
// pointer. notes: explanation of each part, shown on hover with the effect of a click.
std::optional<std::size_t> draw_legend(std::span<const BarPart>, float width,
                                       std::optional<std::size_t>* pointed = nullptr,
                                       const ChartNotes* notes = nullptr);
float legend_width(std::span<const BarPart>);

// Draws "baseline | candidate" with the marks of their bars, on one line at the cursor.
void draw_sides_legend();
float sides_legend_width();

}  // namespace ui
