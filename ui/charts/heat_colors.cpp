#include "ui/charts/heat_colors.hpp"

#include "ui/theme.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace ui {
namespace {

constexpr std::size_t kColors = 64;
constexpr float kTurn = 2 * std::numbers::pi_v<float>;

using Colors = std::array<ImU32, kColors>;

// Blue over violet and orange to yellow, lightness rising evenly.
Colors build_rising() {
    Colors colors{};
    for (std::size_t i = 0; i < kColors; ++i) {
        const float at = static_cast<float>(i) / (kColors - 1);
        const float chroma = 0.06f + 0.09f * std::sin(at * kTurn / 2);
        colors[i] = color::from_oklch(0.32f + 0.54f * at, chroma, kTurn * (0.72f + 0.54f * at));
    }
    return colors;
}

Colors build_both_signs() {
    constexpr float kBlue = 0.69f;
    constexpr float kOrange = 0.17f;
    Colors colors{};
    for (std::size_t i = 0; i < kColors; ++i) {
        const float at = 2 * static_cast<float>(i) / (kColors - 1) - 1;
        const float away = std::abs(at);
        colors[i] = color::from_oklch(0.36f + 0.4f * away, 0.13f * away, kTurn * (at < 0 ? kBlue : kOrange));
    }
    return colors;
}

}  // namespace

ImU32 heat_color(const HeatScale& scale, double value) {
    static const Colors kRising = build_rising();
    static const Colors kBothSigns = build_both_signs();
    const auto at = static_cast<std::size_t>(std::lround(scale.share(value) * (kColors - 1)));
    return (scale.both_signs ? kBothSigns : kRising)[at];
}

}  // namespace ui
