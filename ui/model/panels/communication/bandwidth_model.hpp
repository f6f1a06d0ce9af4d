#pragma once
// Message size against bus bandwidth: a point per size of each (group, operation), the fitted line
// if there is one, and slow collectives. Computed from the answers of bandwidth, link-model and
// collective-outliers. No ImGui.

#include "core/analysis/engine/analysis.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct BandwidthPoint {
    double bytes = 0;
    double bus = 0;  // bytes per second
    double transfer = 0;  // ns, median
    std::int64_t count = 0;
    double concurrent = 0;
    std::size_t row = 0;  // in the answer of bandwidth
};

struct BandwidthLine {
    double alpha = 0;      // ns
    double bandwidth = 0;  // bytes per second
    double link = 0;       // bytes per second: bandwidth × bus factor
    bool poor = false;
    // Bus bandwidth that the line predicts for a size.
    double bus_of(double bytes) const { return bytes / (alpha * 1e-9 + bytes / bandwidth) * link / bandwidth; }
};

struct BandwidthSeries {
    std::string group;
    std::string operation;
    std::vector<BandwidthPoint> points;  // by size
    std::optional<BandwidthLine> line;
    std::string verdict;  // "good", "poor", "not identifiable"
    std::string title() const { return operation + " \xC2\xB7 " + group; }
};

// A collective that took much longer than expected for its size.
struct SlowPoint {
    double bytes = 0;
    double bus = 0;       // bytes per second
    double transfer = 0;  // ns
    double expected = 0;  // ns
    std::string pattern;
    std::size_t row = 0;  // in the answer of collective-outliers
};

struct BandwidthModel {
    std::vector<BandwidthSeries> series;
    std::vector<SlowPoint> slow;  // those with known bus bandwidth, slowest first
    std::size_t unknown = 0;  // slow collectives without bus bandwidth
    double least_bytes = 0, most_bytes = 0;  // limits of all points; 0 without any
    double least_bus = 0, most_bus = 0;      // limits of points and the lines between them
    static BandwidthModel of(const core::Table& bandwidth, const core::Table& link_model, const core::Table& outliers);
};

}  // namespace ui
