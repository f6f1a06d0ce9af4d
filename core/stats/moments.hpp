#pragma once
// Mean of a sample of finite values, and how certain it is. Values are in the order of measurement, because similar
// neighbours count as fewer values.

#include <cstddef>
#include <optional>
#include <span>

namespace core::stats {

inline constexpr std::size_t kLeastForAutocorrelation = 8;  // below, the coefficient is shown and not used
inline constexpr double kNeighboursAlike = 0.3;             // a coefficient above it is worth a warning

struct Moments {
    std::size_t n = 0;
    double mean = 0;      // 0 for no values
    double variance = 0;  // with n - 1; 0 below two values
    std::optional<double> autocorrelation;  // lag 1; absent without spread
    double inflation = 1;  // of the variance of the mean, by autocorrelation

    double mean_variance() const { return n == 0 ? 0 : inflation * variance / static_cast<double>(n); }
    double effective() const { return static_cast<double>(n) / inflation; }  // as if this many independent values
};

Moments measure(std::span<const double> values);
// The middle value, or the mean of both middle ones; the values are not empty.
double median(std::span<const double> values);
// The smallest value with at least this share of the values at or below it; the values are not empty.
double nearest_rank(std::span<const double> values, double share);

}  // namespace core::stats
