#pragma once
// Minimum and maximum of any range of a counter's values in O(log n): drawing a counter costs
// pixels and keeps every peak. Immutable; the values must outlive it. About one byte per value.

#include "core/store/blob.hpp"
#include "core/store/values.hpp"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace core {

struct ValueRange {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    bool empty() const { return most < least; }
    void add(double value);           // skips non-finite values
    void add(const ValueRange& other);
    bool operator==(const ValueRange&) const = default;
};
template <>
inline constexpr bool kHasNoPadding<ValueRange> = sizeof(ValueRange) == 2 * sizeof(double);

class CounterPyramid {
public:
    explicit CounterPyramid(std::span<const double> values);
    // Pyramids of several counters share one section; when reading, each takes its part from the
    // front of `ranges`. A pyramid without its part is rebuilt.
    void collect_sections(SectionList&) const;
    CounterPyramid(std::span<const double> values, std::span<const ValueRange>& ranges);

    ValueRange whole() const { return range(0, values_.size()); }
    ValueRange range(std::size_t first, std::size_t last) const;  // of the values [first, last)
    std::size_t resident_bytes() const;

private:
    static constexpr std::size_t kFanOut = 16;
    std::span<const double> values_;
    std::span<const ValueRange> level(std::size_t i) const {
        return ranges_.all().subspan(level_begins_[i], level_begins_[i + 1] - level_begins_[i]);
    }
    Values<ValueRange> ranges_;              // level 0: 16 values each; level 1: 16 of those; …
    std::vector<std::size_t> level_begins_;  // in ranges_, then the end of the last level
};

}  // namespace core
