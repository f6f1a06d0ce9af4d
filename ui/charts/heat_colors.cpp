#include "ui/charts/heat_colors.hpp"

#include "ui/style/theme.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace ui {
namespace {

constexpr std::size_t kColors = 64;
constexpr float kTurn = 2 * std::numbers::pi_v<float>;

using Colors = std::array<ImU32, kColors>;

// Dark theme: blue, violet, orange, yellow, with evenly rising lightness. Light theme: the reverse order. Small values
// are near the panel's own lightness.
Colors build_rising(bool on_light) {
    Colors colors{};
    for (std::size_t i = 0; i < kColors; ++i) {
        const float at = static_cast<float>(i) / (kColors - 1);
        const float chroma = 0.06f + 0.09f * std::sin(at * kTurn / 2);
        const float light = on_light ? 0.9f - 0.54f * at : 0.32f + 0.54f * at;
        const float hue = on_light ? 1.26f - 0.54f * at : 0.72f + 0.54f * at;
        colors[i] = color::from_oklch(light, chroma, kTurn * hue);
    }
    return colors;
}

Colors build_both_signs(bool on_light) {
    constexpr float kBetter = 0.63f;  // hues of the palettes' changes
    constexpr float kWorse = 0.08f;
    Colors colors{};
    for (std::size_t i = 0; i < kColors; ++i) {
        const float at = 2 * static_cast<float>(i) / (kColors - 1) - 1;
        const float away = std::abs(at);
        const float light = on_light ? 0.86f - 0.4f * away : 0.36f + 0.4f * away;
        colors[i] = color::from_oklch(light, 0.13f * away, kTurn * (at < 0 ? kBetter : kWorse));
    }
    return colors;
}

struct Tables {
    Colors rising;
    Colors both_signs;
};

}  // namespace

ImU32 heat_color(const core::HeatScale& scale, double value) {
    static const Tables kOnDark{build_rising(false), build_both_signs(false)};
    static const Tables kOnLight{build_rising(true), build_both_signs(true)};
    const Tables& tables = color::palette().light ? kOnLight : kOnDark;
    const auto at = static_cast<std::size_t>(std::lround(scale.share(value) * (kColors - 1)));
    return (scale.both_signs ? tables.both_signs : tables.rising)[at];
}

}  // namespace ui
