#pragma once
// From where to where the colours of a heat map run. A few values far above all others do not flatten the
// rest: the scale is cut below them, and says so. No ImGui; the colours are in heat_colors.

#include <span>

namespace ui {

struct HeatScale {
    double low = 0;             // in the data's unit; low <= high
    double high = 0;
    bool cut = false;           // there are values above high
    bool both_signs = false;    // then low == -high

    double share(double value) const;    // 0..1 from low to high; 0.5 if all values are equal
};

// Of the finite values; 0 to 0 if there are none. O(values).
HeatScale find_heat_scale(std::span<const double> values);
// Of differences: 0 in the middle, whatever their signs.
HeatScale find_centred_heat_scale(std::span<const double> values);

}  // namespace ui
