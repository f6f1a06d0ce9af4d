#pragma once
// Everything that is computed about two samples of one measure. What too few values cannot say is absent.

#include "core/stats/effect_size.hpp"
#include "core/stats/rank_sum.hpp"
#include "core/stats/welch.hpp"

namespace core::stats {

struct TwoSamples {
    Moments baseline;
    Moments candidate;
    std::optional<Welch> welch;   // from two values each
    std::optional<RankSum> rank;  // from one value each
    std::optional<Shift> shift;
    std::optional<double> g;
    bool paired = false;          // the tests are of the differences of pairs
};

TwoSamples compare_samples(std::span<const double> baseline, std::span<const double> candidate);
// Values at equal places belong together; the samples are equally long. The mean of the differences by Student's t, and
// their signed ranks; `rank` keeps Cliff's delta of the samples.
TwoSamples compare_pairs(std::span<const double> baseline, std::span<const double> candidate);

}  // namespace core::stats
