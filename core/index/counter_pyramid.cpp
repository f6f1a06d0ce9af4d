#include "core/index/counter_pyramid.hpp"

#include <algorithm>
#include <cmath>

namespace core {

void ValueRange::add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
}

void ValueRange::add(const ValueRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
}

CounterPyramid::CounterPyramid(std::span<const double> values) : values_(values) {
    const auto build_level = [&](const auto& finer) {
        std::vector<ValueRange> level((finer.size() + kFanOut - 1) / kFanOut);
        for (std::size_t i = 0; i < finer.size(); ++i) level[i / kFanOut].add(finer[i]);
        return level;
    };
    if (values.size() <= kFanOut) return;
    levels_.push_back(build_level(values));
    while (levels_.back().size() > kFanOut) levels_.push_back(build_level(levels_.back()));
}

ValueRange CounterPyramid::range(std::size_t first, std::size_t last) const {
    ValueRange result;
    // The ragged ends at each level; what is left are whole blocks of the next.
    const auto add_ends = [&](const auto& level, bool is_last) {
        while (first < last && (is_last || first % kFanOut != 0)) result.add(level[first++]);
        while (first < last && last % kFanOut != 0) result.add(level[--last]);
        first /= kFanOut;
        last /= kFanOut;
    };
    add_ends(values_, levels_.empty());
    for (std::size_t i = 0; i < levels_.size() && first < last; ++i) add_ends(levels_[i], i + 1 == levels_.size());
    return result;
}

std::size_t CounterPyramid::resident_bytes() const {
    std::size_t bytes = 0;
    for (const std::vector<ValueRange>& level : levels_) bytes += level.capacity() * sizeof(ValueRange);
    return bytes;
}

}  // namespace core
