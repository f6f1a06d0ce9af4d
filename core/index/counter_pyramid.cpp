#include "core/index/counter_pyramid.hpp"

#include "core/store/sections.hpp"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

// Start of each level over this many values, then the end of the last level.
std::vector<std::size_t> find_level_begins(std::size_t values, std::size_t fan_out) {
    std::vector<std::size_t> begins = {0};
    for (std::size_t finer = values; finer > fan_out;) {
        finer = (finer + fan_out - 1) / fan_out;
        begins.push_back(begins.back() + finer);
    }
    return begins;
}

}  // namespace

void ValueRange::add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
}

void ValueRange::add(const ValueRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
}

CounterPyramid::CounterPyramid(std::span<const double> values)
    : values_(values), level_begins_(find_level_begins(values.size(), kFanOut)) {
    std::vector<ValueRange> ranges(level_begins_.back());
    for (std::size_t k = 0; k + 1 < level_begins_.size(); ++k) {
        ValueRange* const to = ranges.data() + level_begins_[k];
        const std::size_t finer = k == 0 ? values.size() : level_begins_[k] - level_begins_[k - 1];
        for (std::size_t i = 0; i < finer; ++i) {
            if (k == 0)
                to[i / kFanOut].add(values[i]);
            else
                to[i / kFanOut].add(ranges[level_begins_[k - 1] + i]);
        }
    }
    ranges_ = Values(std::move(ranges));
}

CounterPyramid::CounterPyramid(std::span<const double> values, std::span<const ValueRange>& ranges)
    : values_(values), level_begins_(find_level_begins(values.size(), kFanOut)) {
    if (ranges.size() < level_begins_.back()) {
        *this = CounterPyramid(values);
        return;
    }
    ranges_ = Values<ValueRange>::lent(ranges.first(level_begins_.back()));
    ranges = ranges.subspan(level_begins_.back());
}

void CounterPyramid::collect_sections(SectionList& list) const { list.add(section::kCounterRanges, ranges_.all()); }

ValueRange CounterPyramid::range(std::size_t first, std::size_t last) const {
    ValueRange result;
    // Handles the ragged ends of each level; the rest is whole blocks of the next.
    const auto add_ends = [&](const auto& level, bool is_last) {
        while (first < last && (is_last || first % kFanOut != 0)) result.add(level[first++]);
        while (first < last && last % kFanOut != 0) result.add(level[--last]);
        first /= kFanOut;
        last /= kFanOut;
    };
    const std::size_t levels = level_begins_.size() - 1;
    add_ends(values_, levels == 0);
    for (std::size_t i = 0; i < levels && first < last; ++i) add_ends(level(i), i + 1 == levels);
    return result;
}

std::size_t CounterPyramid::resident_bytes() const { return ranges_.size_bytes(); }

}  // namespace core
