#pragma once
// Labelled values and their spread: extremes, quartiles, median. No ImGui.

#include <cstdint>
#include <string>
#include <vector>

namespace ui {

struct SpreadPoint {
    std::string label;
    double value = 0;
    std::int64_t id = 0;         // RankKey::packed() or a step number
};

struct Spread {
    std::vector<SpreadPoint> points;     // in the given order
    double least = 0;
    double lower_quarter = 0;
    double median = 0;
    double upper_quarter = 0;
    double greatest = 0;
    std::size_t at_greatest = 0;         // index of the first greatest value
};

// All numbers are 0 without points. Quartiles interpolate linearly.
Spread make_spread(std::vector<SpreadPoint> points);

}  // namespace ui
