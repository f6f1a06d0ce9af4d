#pragma once
// Roofline: operators by arithmetic intensity and rate, the roofs of their devices and, with two
// runs, the pairs of equal operators and shapes. Computed from answers of op-efficiency with
// of=all. No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/diff/align/side.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

// An operator with one kind of inputs, summed over the ranks; rates are ratios of sums.
struct RooflinePoint {
    std::string name;       // "aten::mm"
    std::string inputs;
    std::string precision;
    double calls = 0;
    double time = 0;        // ns
    double flop = 0;
    std::optional<double> bytes{};
    double loss = 0;        // ns; 0: unknown
    double floor = 0;       // ns; 0: unknown
    std::string bound;      // bound on the rank with most time; empty: unknown
    std::string marks;
    bool only_moves = false;  // no FLOP, so it isn't plotted
    double rate() const { return flop / time * 1e9; }                              // FLOP/s
    double bandwidth() const { return bytes ? *bytes / time * 1e9 : 0; }           // bytes/s
    double intensity() const { return bytes && *bytes > 0 ? flop / *bytes : 0; }   // FLOP/byte
    double roof_share() const { return floor / time; }
    bool has_place() const { return !only_moves && flop > 0 && bytes && *bytes > 0 && time > 0; }
    std::string key() const { return name + '\n' + inputs + '\n' + precision; }
};

struct Roof {
    std::string device;
    std::string precision;
    double flop_per_s = 0;
    std::optional<double> bytes_per_s{};
    double at(double intensity) const;  // FLOP/s limit of the roof at that intensity
};

struct RooflineSide {
    std::vector<RooflinePoint> points;  // plotted ones, by time, at most kMostRooflinePoints
    std::vector<RooflinePoint> losses;  // plotted or not, largest loss first, at most kMostLosses
    std::vector<Roof> roofs;
    std::vector<std::string> unknown_devices;  // devices with unknown peaks
    double left_out = 0;   // share of the total time that isn't plotted: no FLOP, or no bytes
    double no_flop = 0;    // share of the total time that only moves data
    double time = 0;       // total of all rows, ns
};
inline constexpr std::size_t kMostRooflinePoints = 300, kMostLosses = 12;

struct RooflineModel {
    core::BySide<std::optional<RooflineSide>> sides;
    struct Arrow {
        std::size_t from, to;  // indices into the baseline's and the candidate's points
    };
    std::vector<Arrow> arrows;
    double least_x = 0, most_x = 0, least_y = 0, most_y = 0;  // limits of points and ridges; 0 without any
    static RooflineSide side_of(const core::Run&, const core::Table& op_efficiency);
    static RooflineModel of(core::BySide<std::optional<RooflineSide>>);
};

}  // namespace ui
