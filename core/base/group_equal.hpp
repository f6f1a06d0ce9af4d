#pragma once
// Groups equal values in O(n log n), whatever the values are: hostile input cannot make it quadratic, as it could a
// search from the start or a hash table with a known hash.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace core {

// One group per distinct value, ordered by where the value occurs first; each group lists its places, rising.
// Uses only `<`.
template <class Value>
std::vector<std::vector<std::size_t>> group_equal(std::span<const Value> values) {
    std::vector<std::size_t> places(values.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t place : places) {
        if (groups.empty() || values[groups.back().front()] < values[place]) groups.emplace_back();
        groups.back().push_back(place);
    }
    std::ranges::sort(groups, {}, [](const std::vector<std::size_t>& group) { return group.front(); });
    return groups;
}

}  // namespace core
