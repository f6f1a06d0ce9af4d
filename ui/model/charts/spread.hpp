#pragma once
// Labelled values and how they are spread: ends, quarters, median. No ImGui.

#include <cstdint>
#include <string>
#include <vector>

namespace ui {

struct SpreadPoint {
    std::string label;
    double value = 0;
    std::int64_t id = 0;         // whose it is: RankKey::packed(), a step's number
};

struct Spread {
    std::vector<SpreadPoint> points;     // in the order given
    double least = 0;
    double lower_quarter = 0;
    double median = 0;
    double upper_quarter = 0;
    double greatest = 0;
    std::size_t at_greatest = 0;         // the first of the greatest points
};

// All numbers are 0 without points; between two values in proportion.
Spread make_spread(std::vector<SpreadPoint> points);

}  // namespace ui
