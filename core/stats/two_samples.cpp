#include "core/stats/two_samples.hpp"

#include "core/stats/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace core::stats {

TwoSamples compare_samples(std::span<const double> baseline, std::span<const double> candidate) {
    TwoSamples result;
    result.baseline = measure(baseline);
    result.candidate = measure(candidate);
    result.welch = compare_means(result.baseline, result.candidate);
    if (baseline.empty() || candidate.empty()) return result;
    result.rank = compare_ranks(baseline, candidate);
    result.shift = estimate_shift(baseline, candidate);
    result.g = hedges_g(result.baseline, result.candidate);
    return result;
}

TwoSamples compare_pairs(std::span<const double> baseline, std::span<const double> candidate) {
    TwoSamples result = compare_samples(baseline, candidate);
    result.paired = true;
    if (!result.welch) return result;
    std::vector<double> differences;
    for (std::size_t i = 0; i < std::min(baseline.size(), candidate.size()); ++i)
        differences.push_back(candidate[i] - baseline[i]);
    // One sample against a constant of zero.
    Moments zero;
    zero.n = differences.size();
    const Moments of_differences = measure(differences);
    result.welch = compare_means(zero, of_differences);
    result.welch->ratio.reset();
    result.rank->p = signed_ranks_p(differences);
    result.rank->least_p =
        std::min(1.0, std::ldexp(2.0, -static_cast<int>(std::min<std::size_t>(differences.size(), 1000))));
    result.rank->exact = differences.size() <= kMostExact;
    return result;
}

}  // namespace core::stats
