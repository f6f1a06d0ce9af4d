#pragma once
// Compares what some calls did with the roofline of their device: the least time at its peaks, and how near they came.
// The one definition of floor, roof_share and loss. Pure.

#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <optional>
#include <string_view>

namespace core {

// Sums over executed calls of one precision.
struct RoofInput {
    Wide flop = 0, bytes = 0, time = 0;  // time in ns
    std::int64_t calls = 0;
    bool has_flop = true;   // false: they move data alone
    bool has_bytes = true;  // of every call
};

struct Roof {
    std::optional<double> compute_share, roof_share;
    std::optional<std::int64_t> floor, loss;  // ns
    std::string_view bound;                   // compute, memory or launch; empty if unknown
};

// Calls shorter than `launch_bound` ns on average are bound by their launch. Without peaks everything is absent.
Roof measure_against_roof(const RoofInput&, Precision, const Peaks&, std::int64_t launch_bound);

}  // namespace core
