#pragma once
// Sets of moments as vectors of half-open ranges. A normal one is sorted and disjoint, and its ranges do not touch:
// merge_ranges() makes it, the other functions expect it and return it. All take linear time but merging, which sorts.

#include "core/base/units.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace core {

template <class Point>
std::vector<Range<Point>> without_empty_ranges(std::vector<Range<Point>> ranges) {
    std::erase_if(ranges, [](const Range<Point>& range) { return range.empty(); });
    return ranges;
}

// Ranges that overlap or touch become one. An empty range is treated like any other: alone, it remains.
template <class Point>
std::vector<Range<Point>> merge_ranges(std::vector<Range<Point>> ranges) {
    std::ranges::sort(ranges, {}, &Range<Point>::begin);
    std::vector<Range<Point>> merged;
    for (const Range<Point>& range : ranges) {
        if (merged.empty() || merged.back().end < range.begin)
            merged.push_back(range);
        else
            merged.back().end = std::max(merged.back().end, range.end);
    }
    return merged;
}

// Parts of `ranges` outside `cut`.
template <class Point>
std::vector<Range<Point>> subtract_ranges(const std::vector<Range<Point>>& ranges,
                                          const std::vector<Range<Point>>& cut) {
    std::vector<Range<Point>> rest;
    std::size_t k = 0;
    for (const Range<Point>& range : ranges) {
        Point at = range.begin;
        while (k < cut.size() && cut[k].end <= at) ++k;
        for (std::size_t i = k; i < cut.size() && cut[i].begin < range.end; ++i) {
            if (at < cut[i].begin) rest.push_back({at, cut[i].begin});
            at = std::max(at, cut[i].end);
        }
        if (at < range.end) rest.push_back({at, range.end});
    }
    return rest;
}

template <class Point>
std::vector<Range<Point>> intersect_ranges(const std::vector<Range<Point>>& one,
                                           const std::vector<Range<Point>>& other) {
    std::vector<Range<Point>> common;
    for (std::size_t i = 0, k = 0; i < one.size() && k < other.size();) {
        const Range<Point> cut{std::max(one[i].begin, other[k].begin), std::min(one[i].end, other[k].end)};
        if (!cut.empty()) common.push_back(cut);
        ++(one[i].end < other[k].end ? i : k);
    }
    return common;
}

template <class Point>
Duration total_length(const std::vector<Range<Point>>& ranges) {
    Duration sum{0};
    for (const Range<Point>& range : ranges) sum += range.length();
    return sum;
}

}  // namespace core
