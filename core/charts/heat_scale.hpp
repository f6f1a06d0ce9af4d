#pragma once
// Value range of a heat map's colours. A few outliers do not flatten the rest: the scale ends below
// them and is flagged as cut. No ImGui; heat_colors has the colours.

#include <span>

namespace core {

struct HeatScale {
    double low = 0;             // in the data's unit; low <= high
    double high = 0;
    bool cut = false;           // some values are above high
    bool both_signs = false;    // then low == -high

    double share(double value) const;    // 0..1 from low to high; 0.5 if all values are equal
};

// Scale of the finite values; 0 to 0 without any. O(values).
HeatScale find_heat_scale(std::span<const double> values);
// Scale of differences, centred on 0 even if all have one sign.
HeatScale find_centred_heat_scale(std::span<const double> values);

}  // namespace core
