#pragma once
// Vertical bars from 0 to a mean (down, if it is negative), with a whisker from the least to the greatest value. One category per
// bar (a rank); hundreds of them fit by getting thinner. A whisker far beyond the means is cut off at the
// top, marked, so that the bars stay readable. With the candidate's bars, each category has two on one axis, the
// candidate's hatched to the right of the baseline's; a side without the category has no bar.
// Handed finished numbers; draws and says what was pointed at.

#include "core/analysis/engine/table.hpp"
#include "ui/charts/notes.hpp"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>

namespace ui {

struct ErrorBar {
    std::string label;
    double mean = 0;
    double low = 0;
    double high = 0;
    double count = 0;  // how many values; 0: not known
    bool stands_out = false;
    bool faded = false;  // the filter leaves it out
    bool missing = false;  // of two runs: this one has no such category
};

struct ErrorBars {
    std::span<const ErrorBar> bars;
    core::Unit unit = core::Unit::Ns;
    std::string_view label_prefix = {};  // "rank ": in the tooltip and the items' names
    ImU32 color = 0;
    std::span<const ErrorBar> candidates = {};  // as bars, or empty: there is one run
    const ChartNotes* notes = nullptr;  // of the mean, as the one part
    bool paired() const { return !candidates.empty(); }
};

struct ErrorBarHit {
    std::optional<std::size_t> bar;
    bool clicked = false;
    bool listed = false;  // the right button was released
};
ErrorBarHit draw_error_bars(const char* id, const ErrorBars&, ImVec2 size);

// The lowest mean or whisker; 0 if none is below it.
double find_axis_begin(std::span<const ErrorBar>);
// The end of the axis: the greatest whisker, or 2.5 times the greatest mean if whiskers go far beyond that.
double find_axis_end(std::span<const ErrorBar>);

}  // namespace ui
