#include "core/analysis/efficiency/roof.hpp"

#include <algorithm>
#include <cmath>

namespace core {

Roof measure_against_roof(const RoofInput& sums, Precision precision, const Peaks& peaks, std::int64_t launch_bound) {
    Roof roof;
    if (sums.calls == 0 || sums.time <= 0) return roof;
    const auto time = static_cast<double>(sums.time);
    const auto flop = static_cast<double>(sums.flop);
    const std::optional<double> peak = peaks.of_precision(precision);
    if (!peak && sums.has_flop) return roof;
    const double math = sums.has_flop ? flop / *peak * 1e9 : 0;
    if (sums.has_flop) roof.compute_share = math / time;
    if (!sums.has_bytes || !peaks.bytes_per_s) return roof;
    const double memory = static_cast<double>(sums.bytes) / *peaks.bytes_per_s * 1e9;
    const double floor = std::max(math, memory);
    roof.floor = static_cast<std::int64_t>(std::floor(floor + 0.5));
    roof.roof_share = floor / time;
    roof.loss = std::max<std::int64_t>(0, clamped(sums.time) - *roof.floor);
    roof.bound = math >= memory && sums.has_flop ? "compute" : "memory";
    if (sums.time < Wide{launch_bound} * sums.calls) roof.bound = "launch";
    return roof;
}

}  // namespace core
