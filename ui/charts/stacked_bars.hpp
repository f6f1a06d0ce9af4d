#pragma once
// Horizontal bars, one row per item, each made of parts side by side; with one part they are plain bars.
// Long lists scroll, the axis stays below. Handed finished numbers; draws and says what was pointed at.

#include "core/analysis/table.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

struct BarPart {
    std::string name;
    ImU32 color = 0;
};

struct BarRow {
    std::string label;
    std::vector<double> values;   // one per part; not finite or below 0 counts as 0
    bool absent = false;          // nothing is known: drawn as a dash
    double total() const;
};

struct StackedBars {
    std::span<const BarPart> parts;
    std::span<const BarRow> rows;
    core::Unit unit = core::Unit::Ns;
    bool share = false;           // every bar is as long as the plot, its parts are shares of their sum
};

struct BarHit {
    std::optional<std::size_t> row;    // under the pointer
    std::optional<std::size_t> part;
    bool clicked = false;
};

BarHit draw_stacked_bars(const char* id, const StackedBars&, ImVec2 size);

// Swatch and name of each part, on as many lines as the width asks for; an ImGui item.
void draw_legend(std::span<const BarPart>, float width);
float legend_width(std::span<const BarPart>);

}  // namespace ui
