#pragma once
// Draws horizontal bars (core/charts/bar_layout). Long lists scroll; the axis stays visible. With the
// candidate's rows, each row shows the change of its sum. Draws finished numbers and returns the bar
// under the pointer.

#include "core/charts/bar_layout.hpp"
#include "ui/widgets/legend.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

using core::BarRow;

struct StackedBars {
    std::span<const BarPart> parts;  // those that are off are dimmed, and keep their length
    std::span<const BarRow> rows;
    core::Unit unit = core::Unit::Ns;
    bool share = false;  // every bar fills the plot; parts are shares of the sum
    std::span<const BarRow> candidates = {};  // parallel to rows, or empty with one run
    std::optional<std::size_t> highlighted = {};  // the other parts are dimmed
    const ChartNotes* notes = nullptr;            // about the parts
    bool paired() const { return !candidates.empty(); }
};

struct BarHit {
    std::optional<std::size_t> row;  // under the pointer
    std::optional<std::size_t> part;
    bool clicked = false;
    bool listed = false;              // right button released
};

BarHit draw_stacked_bars(const char* id, const StackedBars&, ImVec2 size);
}  // namespace ui
