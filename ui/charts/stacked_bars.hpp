#pragma once
// Horizontal bars, one row per item, each made of parts side by side; with one part they are plain bars.
// Long lists scroll, the axis stays below. With the candidate's rows, each row has two bars on one axis, the
// candidate's hatched below the baseline's, and the change of their sums; a side without the row has no bar.
// Handed finished numbers; draws and says what was pointed at.

#include "core/analysis/engine/table.hpp"
#include "ui/model/charts/axis.hpp"
#include "ui/charts/legend.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

struct BarRow {
    std::string label;
    std::vector<double> values;   // one per part; those below 0 lie to the left of 0; not finite counts as 0
    bool absent = false;          // nothing is known: drawn as a dash
    bool faded = false;           // the filter leaves it out
    bool missing = false;         // of two runs: this one has no such row
    std::string whole = {};       // what the label is short for, or empty
    double above() const;         // sum of the values above 0
    double below() const;         // sum of those below
    double total() const { return above() + below(); }
};

struct StackedBars {
    std::span<const BarPart> parts;
    std::span<const BarRow> rows;
    core::Unit unit = core::Unit::Ns;
    bool share = false;  // every bar is as long as the plot, its parts are shares of their sum; none below 0
    std::span<const BarRow> candidates = {};  // as rows, or empty: there is one run
    std::optional<std::size_t> highlighted = {};  // the other parts step back
    const ChartNotes* notes = nullptr;            // of the parts
    bool paired() const { return !candidates.empty(); }
};

struct BarHit {
    std::optional<std::size_t> row;  // under the pointer
    std::optional<std::size_t> part;
    bool clicked = false;
    bool listed = false;              // the right button was released
};

// Of its values, or of shares: as many round ticks as a plot so wide has room for, but its ends at least.
Axis find_bar_axis(const StackedBars&, float plot_width);
BarHit draw_stacked_bars(const char* id, const StackedBars&, ImVec2 size);
}  // namespace ui
