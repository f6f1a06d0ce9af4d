#pragma once
// Welch's comparison of two means: unequal variances, autocorrelation counted. A change is candidate - baseline.

#include "core/stats/moments.hpp"

#include <optional>

namespace core::stats {

struct Interval {
    double low = 0;
    double high = 0;
    bool operator==(const Interval&) const = default;
};

struct Welch {
    double change = 0;
    double se = 0;              // standard error of the change
    std::optional<double> t;    // absent without spread, as is df
    std::optional<double> df;
    double p = 1;               // two-sided; without spread 1 if nothing changed, else 0
    Interval interval;          // of the change, 95 %
    double detectable = 0;      // the change that such samples show in 8 of 10 cases
    std::optional<Interval> ratio;  // of mean(candidate) / mean(baseline), 95 %, by Fieller
};

// Nothing if either side has fewer than two values.
std::optional<Welch> compare_means(const Moments& baseline, const Moments& candidate);

// Welch's analysis of variance: the p of the hypothesis that all means are equal. Nothing if a sample has fewer than
// two values or no spread, or if there are fewer than two samples.
std::optional<double> compare_all_means(std::span<const Moments> samples);

}  // namespace core::stats
