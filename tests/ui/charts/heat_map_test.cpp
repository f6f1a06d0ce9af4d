// Colours of heat maps.

#include "ui/charts/heat_colors.hpp"

#include <doctest/doctest.h>

namespace {

double luminance(ImU32 color) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
    return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

}  // namespace

TEST_CASE("heat colours get evenly lighter with the value") {
    const core::HeatScale scale{0, 1, false, false};
    double before = luminance(ui::heat_color(scale, 0));
    for (int i = 1; i <= 16; ++i) {
        const double now = luminance(ui::heat_color(scale, i / 16.0));
        CHECK(now > before);
        before = now;
    }
    const core::HeatScale both{-1, 1, false, true};
    CHECK(luminance(ui::heat_color(both, 0)) < luminance(ui::heat_color(both, 1)));
    CHECK(luminance(ui::heat_color(both, 0)) < luminance(ui::heat_color(both, -1)));
    CHECK(ui::heat_color(both, -1) != ui::heat_color(both, 1));
}
