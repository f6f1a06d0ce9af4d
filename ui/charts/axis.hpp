#pragma once
// An axis from 0 with round ticks in one unit: "0, 2.5, 5, 7.5 ms". Any finite maximum gives an axis;
// a maximum of 0 or less gives one up to 1 of the smallest unit. No ImGui.

#include "core/analysis/table.hpp"

#include <cmath>
#include <string>

namespace ui {

struct Axis {
    double most = 1;            // end of the axis, a multiple of step, in the data's unit
    double step = 1;
    double per_unit = 1;        // data values per written unit (1e6 for ns written as ms)
    int decimals = 0;
    std::string suffix;         // "ms", "%", "MiB", …

    std::size_t ticks() const { return static_cast<std::size_t>(std::llround(most / step)) + 1; }
    double tick(std::size_t i) const { return static_cast<double>(i) * step; }
    std::string label(double value) const;   // without the suffix
};

// About `ticks` ticks; `most` covers `maximum`, with little to spare.
Axis make_axis(double maximum, core::Unit unit, int ticks = 4);
// The same but ending exactly at maximum: for shares of a fixed whole.
Axis make_share_axis();

// A value of a measure in its short form, as tables print it.
std::string format_value(double value, core::Unit unit);

}  // namespace ui
