#include "core/collectives/collective.hpp"

#include <array>

namespace core {

std::string_view name_of(MatchedBy by) {
    constexpr std::array<std::string_view, 5> kNames = {"number", "comms id", "pair", "replay", "order"};
    return kNames[static_cast<std::size_t>(by)];
}

std::string_view name_of(GroupAxis axis) {
    constexpr std::array<std::string_view, 6> kNames = {"", "TP", "DP", "PP", "EP", "CP"};
    return kNames[static_cast<std::size_t>(axis)];
}

std::string_view name_of(Confidence confidence) {
    constexpr std::array<std::string_view, 4> kNames = {"certain", "probable", "doubtful", "alone"};
    return kNames[static_cast<std::size_t>(confidence)];
}

std::string format_doubts(std::uint8_t doubts) {
    constexpr std::array<std::string_view, 7> kTexts = {
        "operations differ",           "types differ", "sizes differ", "parts differ", "steps differ", "may be shifted",
        "number and Comms Id disagree"};
    std::string text;
    for (std::size_t bit = 0; bit < kTexts.size(); ++bit) {
        if ((doubts >> bit & 1) == 0) continue;
        if (!text.empty()) text += ", ";
        text += kTexts[bit];
    }
    return text;
}

}  // namespace core
