#pragma once
// Chooses which values to draw if several share a pixel, which bounds the cost of a chart by its
// pixels. Pure.

#include <cstddef>
#include <vector>

namespace core {

// Divides `count` values evenly among `places` and returns the index of the greatest in each place, rising.
template <class WeightOf>
std::vector<std::size_t> pick_greatest(std::size_t count, std::size_t places, WeightOf weight_of) {
    std::vector<std::size_t> picked;
    if (count == 0 || places == 0) return picked;
    std::size_t place = places;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = count <= places ? i : i * places / count;
        if (picked.empty() || at != place)
            picked.push_back(i);
        else if (weight_of(i) > weight_of(picked.back()))
            picked.back() = i;
        place = at;
    }
    return picked;
}

// Visits at most `most` indices, evenly spaced, including the first and the last.
template <class Visit>
void visit_sample(std::size_t count, std::size_t most, Visit visit) {
    if (count <= most) {
        for (std::size_t i = 0; i < count; ++i) visit(i);
        return;
    }
    for (std::size_t i = 0; i + 1 < most; ++i) visit(i * (count - 1) / (most - 1));
    visit(count - 1);
}

}  // namespace core
