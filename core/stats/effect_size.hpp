#pragma once
// How large a change is, by measures that outliers do not carry.

#include "core/stats/welch.hpp"

#include <optional>
#include <span>

namespace core::stats {

struct Shift {
    double median = 0;                 // of all differences candidate - baseline (Hodges and Lehmann)
    std::optional<Interval> interval;  // at least 95 %; absent if the samples are too small for one
};
// O((n + m) log) without making the differences. Both samples have values.
Shift estimate_shift(std::span<const double> baseline, std::span<const double> candidate);

// The change in standard deviations of both samples, corrected for their size (Hedges); absent without spread or below
// two values.
std::optional<double> hedges_g(const Moments& baseline, const Moments& candidate);

}  // namespace core::stats
