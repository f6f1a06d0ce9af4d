#pragma once
// The rank sum test (Wilcoxon, Mann and Whitney), exact with ties for small samples, and the signed ranks of pairs.

#include <span>
#include <vector>

namespace core::stats {

inline constexpr std::size_t kMostExact = 50;  // values of both samples together; above, the normal distribution

struct RankSum {
    double u = 0;        // pairs in which the candidate is above; a tie counts half
    double p = 1;        // two-sided
    double cliff = 0;    // -1 to 1; 1: every candidate value is above every baseline value
    double least_p = 1;  // the smallest p that samples of this size can reach
    bool exact = true;
};
// Both samples have values.
RankSum compare_ranks(std::span<const double> baseline, std::span<const double> candidate);

// p of the differences of pairs, without differences of zero; 1 if none is left.
double signed_ranks_p(std::span<const double> differences);

// The cumulated probabilities of U = 0, 1, … under equal distributions without ties, up to the first above `limit`,
// which is not included. n + m is at most kMostExact.
std::vector<double> lower_tail_of_u(std::size_t n, std::size_t m, double limit);

}  // namespace core::stats
