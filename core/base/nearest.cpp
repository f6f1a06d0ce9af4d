#include "core/base/nearest.hpp"

#include "core/base/edit_distance.hpp"

#include <algorithm>

namespace core {

std::string_view find_nearest(std::string_view text, std::span<const std::string_view> candidates) {
    std::string_view nearest;
    std::size_t least = std::max<std::size_t>(2, text.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        // The distance is no less than the difference in length, which is known at once.
        const std::size_t difference =
            std::max(text.size(), candidate.size()) - std::min(text.size(), candidate.size());
        if (difference > least) continue;
        const std::size_t distance = edit_distance(text, candidate);
        // At equal distance the candidate of equal length wins: a wrong letter is likelier than a
        // missing one.
        const bool same_length = distance == least && !nearest.empty() && candidate.size() == text.size();
        if (distance > least || (distance == least && !same_length)) continue;
        least = distance;
        nearest = candidate;
    }
    return nearest;
}

std::string nearest_hint(std::string_view text, std::span<const std::string_view> candidates) {
    const std::string_view nearest = find_nearest(text, candidates);
    return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

}  // namespace core
