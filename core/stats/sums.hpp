#pragma once
// Sums of doubles whose error does not grow with the number of terms (Neumaier's compensation).

#include <cmath>
#include <span>

namespace core::stats {

class CompensatedSum {
public:
    void add(double value) {
        const double sum = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
        sum_ = sum;
    }
    double value() const { return sum_ + lost_; }

private:
    double sum_ = 0;
    double lost_ = 0;
};

inline double sum_of(std::span<const double> values) {
    CompensatedSum sum;
    for (const double value : values) sum.add(value);
    return sum.value();
}

}  // namespace core::stats
