#pragma once
// Horizontal bars, one row per item, each stacked from parts (one part: plain bars). Long lists
// scroll; the axis stays visible. With the candidate's rows, each row has two bars on one axis, the
// candidate's hatched, and the change of their sums. Draws finished numbers and returns what the
// pointer is on.

#include "core/analysis/engine/table.hpp"
#include "core/charts/axis.hpp"
#include "ui/widgets/legend.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

struct BarRow {
    std::string label;
    std::vector<double> values;   // one per part; negative ones go left of 0; not finite counts as 0
    bool absent = false;          // not known: drawn as a dash
    bool faded = false;           // excluded by the filter
    bool missing = false;         // this run has no such row (two runs)
    std::string whole = {};       // full label if `label` is shortened, else empty
    double above() const;         // sum of the positive values
    double below() const;         // sum of the negative values
    double total() const { return above() + below(); }
};

struct StackedBars {
    std::span<const BarPart> parts;  // those that are off are dimmed, and keep their length
    std::span<const BarRow> rows;
    core::Unit unit = core::Unit::Ns;
    bool share = false;  // every bar fills the plot; parts are shares of the sum, none negative
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

// Axis of values or shares: as many round ticks as fit in the width, at least both ends.
core::Axis find_bar_axis(const StackedBars&, float plot_width);
BarHit draw_stacked_bars(const char* id, const StackedBars&, ImVec2 size);
}  // namespace ui
