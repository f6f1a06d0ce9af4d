#pragma once
// Equal columns of time for drawing: origin and width in fractional ns, without rounding 64-bit
// times to a double. Times beyond 2^62 ns (146 years) clamp to 2^62.

#include "core/base/units.hpp"

#include <algorithm>
#include <cmath>

namespace core {

class ColumnGrid {
public:
    struct Edge {
        RankTime whole;
        double fraction;  // ns, 0 up to but not 1
    };

    ColumnGrid(RankTime t0, double t0_fraction_ns, double column_ns, std::size_t columns)
        : t0_(clamped(ns_of(t0))),
          fraction_(t0_fraction_ns),
          column_ns_(column_ns),
          columns_per_ns_(1 / column_ns),
          columns_(columns) {}

    // Start of column i; edge(columns) is the end of the last column.
    Edge edge(std::size_t i) const {
        const double offset = fraction_ + static_cast<double>(i) * column_ns_;
        std::int64_t whole = kFarNs;
        if (offset < kBeyond) {
            const auto from_t0 = static_cast<std::int64_t>(std::floor(offset));
            if (__builtin_add_overflow(t0_, from_t0, &whole)) whole = kFarNs;
        }
        return {rank_time(clamped(whole)), offset - std::floor(offset)};
    }
    // Position of a time in columns from the left edge.
    double position(std::int64_t ns) const { return position_near(clamped(ns)); }
    // The same, faster, for a time between begin_ns() and end_ns().
    double position_near(std::int64_t ns) const {
        return (static_cast<double>(ns - t0_) - fraction_) * columns_per_ns_;
    }
    // Column i ends at or before this whole ns; never too late.
    std::int64_t end_of(std::size_t i) const {
        const double offset = fraction_ + static_cast<double>(static_cast<std::int64_t>(i) + 1) * column_ns_;
        return t0_ + static_cast<std::int64_t>(std::min(offset, static_cast<double>(kFarNs)));
    }
    std::int64_t begin_ns() const { return ns_of(edge(0).whole); }
    std::int64_t end_ns() const { return ns_of(edge(columns_).whole) + 1; }  // at or after the last column's end
    double column_ns() const { return column_ns_; }

private:
    static constexpr std::int64_t kFarNs = (std::int64_t{1} << 62) - 1;
    static constexpr double kBeyond = 9.2e18;  // largest value that fits 64 bits
    static std::int64_t clamped(std::int64_t ns) { return std::clamp(ns, -kFarNs, kFarNs); }

    std::int64_t t0_;
    double fraction_;
    double column_ns_;
    double columns_per_ns_;
    std::size_t columns_;
};

}  // namespace core
