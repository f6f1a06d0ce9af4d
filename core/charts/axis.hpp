#pragma once
// An axis with round ticks in one unit: "0, 2.5, 5, 7.5 ms", or "-2, 0, 2, 4 ms" with negative
// values; it always includes 0. Any finite ends are valid; without values other than 0 the axis
// ends at 1 of the smallest unit. No ImGui.

#include "core/analysis/engine/table.hpp"

#include <cmath>
#include <string>

namespace core {

struct Axis {
    double least = 0;           // ends of the axis, multiples of step, in the data's unit; least <= 0
    double most = 1;
    double step = 1;
    double per_unit = 1;        // data values per displayed unit (1e6 for ns shown as ms)
    int decimals = 0;
    std::string suffix;         // "ms", "%", "MiB", …

    std::size_t ticks() const { return static_cast<std::size_t>(std::llround((most - least) / step)) + 1; }
    double tick(std::size_t i) const { return least + static_cast<double>(i) * step; }
    double share(double value) const { return (value - least) / (most - least); }   // 0 at least, 1 at most
    std::string label(double value) const;   // without the suffix
};

// Makes an axis of about `ticks` ticks; `most` covers `maximum` with little to spare.
Axis make_axis(double maximum, Unit unit, int ticks = 4);
// Begins at a minimum below 0; a minimum above 0 counts as 0.
Axis make_axis(double minimum, double maximum, Unit unit, int ticks);
// Makes an axis from 0 to 100 %, for shares of a fixed whole.
Axis make_share_axis();

// A measure's value in short form, as tables print it.
std::string format_value(double value, Unit unit);
// The same with a plus sign above 0, except for a bound such as "<0.01 %".
std::string signed_value(double value, Unit unit);

}  // namespace core
