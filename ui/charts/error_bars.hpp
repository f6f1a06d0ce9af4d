#pragma once
// Vertical bars from 0 to a mean, with a whisker from the least to the greatest value; one category
// (a rank) per bar. Whiskers far beyond the means are cut and marked, which keeps the bars
// readable. With the candidate's bars, each category has two bars on one axis, the candidate's
// hatched. Draws finished numbers and returns what the pointer is on.

#include "core/analysis/engine/table.hpp"
#include "ui/widgets/notes.hpp"

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
    double count = 0;  // number of values; 0: not known
    bool stands_out = false;
    bool faded = false;  // excluded by the filter
    bool missing = false;  // this run has no such category (two runs)
};

struct ErrorBars {
    std::span<const ErrorBar> bars;
    core::Unit unit = core::Unit::Ns;
    std::string_view label_prefix = {};  // "rank ": prefix in tooltips and item names
    ImU32 color = 0;
    std::span<const ErrorBar> candidates = {};  // parallel to bars, or empty with one run
    const ChartNotes* notes = nullptr;  // about the mean, as the only part
    bool paired() const { return !candidates.empty(); }
};

struct ErrorBarHit {
    std::optional<std::size_t> bar;
    bool clicked = false;
    bool listed = false;  // right button released
};
ErrorBarHit draw_error_bars(const char* id, const ErrorBars&, ImVec2 size);

// The lowest mean or whisker; 0 if none is below it.
double find_axis_begin(std::span<const ErrorBar>);
// End of the axis: the greatest whisker, or 6 times the greatest mean if a whisker is longer than 10 times that.
double find_axis_end(std::span<const ErrorBar>);

}  // namespace ui
