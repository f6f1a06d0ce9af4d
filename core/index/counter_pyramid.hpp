#pragma once
// The least and the most of any stretch of a counter's values in O(log n), so that drawing a counter costs pixels and
// loses no peak. Immutable; the values must outlive it. About one byte a value.

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
    void add(double value);           // one that is not finite is passed over
    void add(const ValueRange& other);
    bool operator==(const ValueRange&) const = default;
};

class CounterPyramid {
public:
    explicit CounterPyramid(std::span<const double> values);
    // Those of several counters become one section; from there each takes its part off the front of `ranges`. A
    // pyramid without its part is built anew.
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
    Values<ValueRange> ranges_;              // level 0: of 16 values each; then level 1: of 16 such; …
    std::vector<std::size_t> level_begins_;  // in ranges_, and where the last level ends
};

}  // namespace core
