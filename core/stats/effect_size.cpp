#include "core/stats/effect_size.hpp"

#include "core/stats/distributions.hpp"
#include "core/stats/rank_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace core::stats {
namespace {

constexpr double kOneSided = 0.025;

// Integers in the order of the doubles.
std::int64_t to_ordered(double value) {
    const auto bits = std::bit_cast<std::int64_t>(value + 0.0);  // no negative zero
    return bits < 0
               ? static_cast<std::int64_t>(static_cast<std::uint64_t>(INT64_MIN) - static_cast<std::uint64_t>(bits))
               : bits;
}
double from_ordered(std::int64_t ordered) {
    const std::int64_t bits =
        ordered < 0
            ? static_cast<std::int64_t>(static_cast<std::uint64_t>(INT64_MIN) - static_cast<std::uint64_t>(ordered))
            : ordered;
    return std::bit_cast<double>(bits);
}

// All differences of two samples, in order, without a list of them.
class Differences {
public:
    Differences(std::span<const double> baseline, std::span<const double> candidate)
        : baseline_(baseline.begin(), baseline.end()), candidate_(candidate.begin(), candidate.end()) {
        std::ranges::sort(baseline_);
        std::ranges::sort(candidate_);
    }
    std::uint64_t count() const { return std::uint64_t{baseline_.size()} * candidate_.size(); }
    // The k-th smallest, from 1: the smallest double with at least k differences at or below it.
    double at(std::uint64_t k) const {
        std::int64_t low = to_ordered(candidate_.front() - baseline_.back());
        std::int64_t high = to_ordered(candidate_.back() - baseline_.front());
        while (low < high) {
            const auto gap = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
            const auto middle = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + gap / 2);
            if (count_up_to(from_ordered(middle)) >= k)
                high = middle;
            else
                low = middle + 1;
        }
        return from_ordered(low);
    }

private:
    std::uint64_t count_up_to(double limit) const {
        std::uint64_t count = 0;
        std::size_t first = baseline_.size();  // baseline values from here on give small enough differences
        for (const double c : candidate_) {
            while (first > 0 && c - baseline_[first - 1] <= limit) --first;
            while (first < baseline_.size() && c - baseline_[first] > limit) ++first;
            count += baseline_.size() - first;
        }
        return count;
    }

    std::vector<double> baseline_;
    std::vector<double> candidate_;
};

// Differences to leave out on either side of a 95 % interval, plus one; 0: there is no interval.
std::uint64_t interval_rank(std::size_t n, std::size_t m) {
    if (n + m <= kMostExact) return lower_tail_of_u(n, m, kOneSided).size();
    const double pairs = static_cast<double>(n) * static_cast<double>(m);
    const double deviation = std::sqrt(pairs * static_cast<double>(n + m + 1) / 12);
    const double last = std::floor(pairs / 2 + normal_quantile(kOneSided) * deviation - 0.5);
    return last < 0 ? 0 : static_cast<std::uint64_t>(last) + 1;
}

}  // namespace

Shift estimate_shift(std::span<const double> baseline, std::span<const double> candidate) {
    const Differences differences(baseline, candidate);
    const std::uint64_t count = differences.count();
    Shift shift;
    shift.median = differences.at(count / 2 + 1);
    if (count % 2 == 0) {
        const double below = differences.at(count / 2);
        shift.median = below + (shift.median - below) / 2;
    }
    const std::uint64_t k = interval_rank(baseline.size(), candidate.size());
    if (k > 0) shift.interval = Interval{differences.at(k), differences.at(count + 1 - k)};
    return shift;
}

std::optional<double> hedges_g(const Moments& b, const Moments& c) {
    if (b.n < 2 || c.n < 2) return std::nullopt;
    const auto n = static_cast<double>(b.n), m = static_cast<double>(c.n);
    const double pooled = std::sqrt(((n - 1) * b.variance + (m - 1) * c.variance) / (n + m - 2));
    if (!(pooled > 0)) return std::nullopt;
    return (c.mean - b.mean) / pooled * (1 - 3 / (4 * (n + m) - 9));
}

}  // namespace core::stats
