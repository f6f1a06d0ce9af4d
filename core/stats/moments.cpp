#include "core/stats/moments.hpp"

#include "core/stats/sums.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace core::stats {
namespace {

constexpr double kMostInflation = 10;

double inflation_of(std::size_t n, double r) {
    if (n < kLeastForAutocorrelation || r <= 0) return 1;
    const double of_r = r < 1 ? (1 + r) / (1 - r) : kMostInflation;
    return std::min({kMostInflation, static_cast<double>(n) / 2, of_r});
}

}  // namespace

Moments measure(std::span<const double> values) {
    Moments moments;
    moments.n = values.size();
    if (values.empty()) return moments;
    moments.mean = sum_of(values) / static_cast<double>(values.size());
    if (values.size() < 2) return moments;
    CompensatedSum squares;
    CompensatedSum products;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double off = values[i] - moments.mean;
        squares.add(off * off);
        if (i > 0) products.add((values[i - 1] - moments.mean) * off);
    }
    if (std::ranges::all_of(values, [&](double value) { return value == values.front(); })) return moments;
    moments.variance = squares.value() / static_cast<double>(values.size() - 1);
    if (!(squares.value() > 0)) return moments;
    moments.autocorrelation = products.value() / squares.value();
    moments.inflation = inflation_of(values.size(), *moments.autocorrelation);
    return moments;
}

double median(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    if (sorted.size() % 2 == 1) return *middle;
    return (*std::max_element(sorted.begin(), middle) + *middle) / 2;
}

double nearest_rank(std::span<const double> values, double share) {
    std::vector<double> sorted(values.begin(), values.end());
    const double place = std::ceil(share * static_cast<double>(sorted.size()));
    const auto at = static_cast<std::ptrdiff_t>(std::clamp(place, 1.0, static_cast<double>(sorted.size()))) - 1;
    std::ranges::nth_element(sorted, sorted.begin() + at);
    return sorted[static_cast<std::size_t>(at)];
}

}  // namespace core::stats
