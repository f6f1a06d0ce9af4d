#pragma once
// Rounding in analyses: quotients of nanoseconds half up to whole nanoseconds, shares as doubles.
// Sums are 128 bits wide and cannot overflow; values beyond a cell's range clamp.

#include "core/analysis/engine/table.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace core {

__extension__ using Wide = __int128;

inline std::int64_t clamped(Wide value) {
    constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
    constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(std::clamp(value, kLeast, kMost));
}

// sum / count, half up; count > 0.
inline std::int64_t rounded_mean(Wide sum, std::int64_t count) {
    const Wide twice = 2 * sum + count;
    const Wide whole = 2 * Wide{count};
    return clamped(twice / whole - (twice % whole < 0 ? 1 : 0));
}

// A sum of quotients of nanoseconds without rounding, while their common denominator has 60 bits; beyond that the
// fractions of a nanosecond are doubles. No quotient is negative.
class SumOfQuotients {
public:
    void add(std::int64_t numerator, std::int64_t denominator) {
        whole_ += numerator / denominator;
        const std::int64_t rest = numerator % denominator;
        const std::int64_t common = std::gcd(denominator_, denominator);
        std::int64_t product = 0;
        const bool fits = !__builtin_mul_overflow(denominator_ / common, denominator, &product) && product < kMost;
        if (!fits) {
            beyond_ += static_cast<double>(rest) / static_cast<double>(denominator);
            return;
        }
        const Wide sum = Wide{fraction_} * (product / denominator_) + Wide{rest} * (product / denominator);
        denominator_ = product;
        whole_ += sum / product;
        fraction_ = static_cast<std::int64_t>(sum % product);
    }
    // The sum over count, half up to whole nanoseconds; count > 0.
    std::int64_t rounded_mean(std::int64_t count) const {
        const Wide parts =
            whole_ % count * denominator_ + fraction_ + static_cast<Wide>(beyond_ * static_cast<double>(denominator_));
        const Wide divisor = Wide{count} * denominator_;
        return clamped(whole_ / count + (2 * parts + divisor) / (2 * divisor));
    }

private:
    static constexpr std::int64_t kMost = std::int64_t{1} << 60;
    Wide whole_ = 0;
    std::int64_t fraction_ = 0;  // of denominator_
    std::int64_t denominator_ = 1;
    double beyond_ = 0;
};

// The median, of an even count the mean of the two middle values. Needs at least one value;
// reorders them.
inline std::int64_t take_median(std::vector<std::int64_t>& values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return rounded_mean(Wide{*middle} + *std::max_element(values.begin(), middle), 2);
}

inline double take_median(std::vector<double>& values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// part / whole; absent if the whole is 0.
inline Cell ratio_cell(Wide part, Wide whole) {
    if (whole == 0) return {};
    return static_cast<double>(part) / static_cast<double>(whole);
}
inline Cell ratio_cell(Duration part, Duration whole) { return ratio_cell(Wide{part.count()}, Wide{whole.count()}); }

}  // namespace core
