#include "core/stats/rank_sum.hpp"

#include "core/stats/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace core::stats {
namespace {

// Twice the midrank of every value, in the order of the values, and the sum of t³ - t over the groups of equal ones.
struct DoubledRanks {
    std::vector<std::size_t> ranks;
    double ties = 0;
};

DoubledRanks rank_values(std::span<const double> values) {
    DoubledRanks result{std::vector<std::size_t>(values.size()), 0};
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
        for (std::size_t i = first; i <= last; ++i) result.ranks[order[i]] = first + last + 2;
        const auto equal = static_cast<double>(last - first + 1);
        result.ties += equal * equal * equal - equal;
        first = last + 1;
    }
    return result;
}

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// Share of the choices of `chosen` ranks whose sum is at least as far from the middle as `sum`.
double exact_share(const std::vector<std::size_t>& ranks, std::size_t chosen, std::size_t sum) {
    const std::size_t whole = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
    // ways[k][s]: choices of k ranks with the sum s. At most C(50, 25), which is below 2^47.
    std::vector<std::vector<std::uint64_t>> ways(chosen + 1, std::vector<std::uint64_t>(whole + 1, 0));
    ways[0][0] = 1;
    std::size_t reached = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        reached += ranks[i];
        for (std::size_t k = std::min(i + 1, chosen); k > 0; --k)
            for (std::size_t s = reached + 1; s-- > ranks[i];) ways[k][s] += ways[k - 1][s - ranks[i]];
    }
    const std::size_t middle = chosen * (ranks.size() + 1);
    const std::size_t observed = distance(sum, middle);
    std::uint64_t far = 0, all = 0;
    for (std::size_t s = 0; s <= whole; ++s) {
        all += ways[chosen][s];
        if (distance(s, middle) >= observed) far += ways[chosen][s];
    }
    return static_cast<double>(far) / static_cast<double>(all);
}

double normal_share(double u, double n, double m, double ties) {
    const double all = n + m;
    const double variance = n * m / 12 * ((all + 1) - ties / (all * (all - 1)));
    if (!(variance > 0)) return 1;
    const double z = (std::max(u, n * m - u) - n * m / 2 - 0.5) / std::sqrt(variance);
    return z <= 0 ? 1 : normal_two_sided(z);
}

double least_p_of(std::size_t n, std::size_t m) {
    double choices = 1;
    for (std::size_t i = 1; i <= std::min(n, m); ++i)
        choices *= static_cast<double>(std::max(n, m) + i) / static_cast<double>(i);
    return std::min(1.0, 2 / std::round(choices));
}

}  // namespace

RankSum compare_ranks(std::span<const double> baseline, std::span<const double> candidate) {
    const std::size_t n = baseline.size(), m = candidate.size();
    std::vector<double> pooled(baseline.begin(), baseline.end());
    pooled.insert(pooled.end(), candidate.begin(), candidate.end());
    const DoubledRanks ranked = rank_values(pooled);
    const auto candidates = ranked.ranks.begin() + static_cast<std::ptrdiff_t>(n);
    const std::size_t of_candidate = std::accumulate(candidates, ranked.ranks.end(), std::size_t{0});
    const double pairs = static_cast<double>(n) * static_cast<double>(m);
    RankSum result;
    result.u = static_cast<double>(of_candidate - m * (m + 1)) / 2;
    result.cliff = 2 * result.u / pairs - 1;
    result.least_p = least_p_of(n, m);
    result.exact = n + m <= kMostExact;
    if (!result.exact) {
        result.p = normal_share(result.u, static_cast<double>(n), static_cast<double>(m), ranked.ties);
    } else if (m <= n) {
        result.p = exact_share(ranked.ranks, m, of_candidate);
    } else {
        const std::size_t whole = (n + m) * (n + m + 1);
        result.p = exact_share(ranked.ranks, n, whole - of_candidate);
    }
    return result;
}

double signed_ranks_p(std::span<const double> differences) {
    std::vector<double> sizes;
    std::vector<bool> above;
    for (const double difference : differences) {
        if (difference == 0) continue;
        sizes.push_back(std::abs(difference));
        above.push_back(difference > 0);
    }
    if (sizes.empty()) return 1;
    const DoubledRanks ranked = rank_values(sizes);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) sum += above[i] ? ranked.ranks[i] : 0;
    const std::size_t whole = sizes.size() * (sizes.size() + 1);  // of the doubled ranks
    if (sizes.size() > kMostExact) {
        const auto n = static_cast<double>(sizes.size());
        const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranked.ties / 48;
        const double off = std::abs(static_cast<double>(sum) - static_cast<double>(whole) / 2) / 2;
        return normal_two_sided(off / std::sqrt(variance));
    }
    std::vector<std::uint64_t> ways(whole + 1, 0);  // choices of signs with this sum
    ways[0] = 1;
    for (const std::size_t rank : ranked.ranks)
        for (std::size_t s = whole + 1; s-- > rank;) ways[s] += ways[s - rank];
    std::uint64_t far = 0;
    const std::size_t observed = distance(2 * sum, whole);
    for (std::size_t s = 0; s <= whole; ++s)
        if (distance(2 * s, whole) >= observed) far += ways[s];
    return static_cast<double>(far) / std::ldexp(1.0, static_cast<int>(sizes.size()));
}

std::vector<double> lower_tail_of_u(std::size_t n, std::size_t m, double limit) {
    std::vector<std::size_t> ranks(n + m);
    std::iota(ranks.begin(), ranks.end(), std::size_t{1});
    const std::size_t most = n * m / 2;
    // ways[k][u]: choices of k of the first ranks that are above u of those not chosen.
    std::vector<std::vector<std::uint64_t>> ways(m + 1, std::vector<std::uint64_t>(most + 1, 0));
    ways[0][0] = 1;
    for (const std::size_t rank : ranks) {
        for (std::size_t k = std::min(rank, m); k > 0; --k) {
            const std::size_t below = rank - k;  // not chosen before it
            for (std::size_t u = most + 1; u-- > below;) ways[k][u] += ways[k - 1][u - below];
        }
    }
    double all = 1;
    for (std::size_t i = 1; i <= m; ++i) all *= static_cast<double>(n + i) / static_cast<double>(i);
    all = std::round(all);
    std::vector<double> tail;
    std::uint64_t sum = 0;
    for (std::size_t u = 0; u <= most; ++u) {
        sum += ways[m][u];
        const double share = static_cast<double>(sum) / all;
        if (share > limit) break;
        tail.push_back(share);
    }
    return tail;
}

}  // namespace core::stats
