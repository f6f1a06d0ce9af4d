// Scales, colours and the grid of heat maps.

#include "ui/charts/heat_map.hpp"
#include "tests/ui/driver/headless.hpp"
#include "ui/charts/heat_colors.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> labels(std::size_t count) {
    std::vector<std::string> made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(std::to_string(i));
    return made;
}

struct Map {
    std::vector<std::string> rows, columns;
    std::vector<double> values;
    Map(std::size_t r, std::size_t c) : rows(labels(r)), columns(labels(c)), values(r * c, 1.0) {}
    ui::HeatMap chart() const {
        return {rows, columns, values, {}, ui::find_heat_scale(values), core::Unit::Ns, "rank", "step", "Step time"};
    }
};

double luminance(ImU32 color) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
    return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

}  // namespace

TEST_CASE("a heat scale covers the finite values and is cut below a few outliers") {
    const ui::HeatScale plain = ui::find_heat_scale(std::vector<double>{3, kNone, 1, 2});
    CHECK(plain.low == 1);
    CHECK(plain.high == 3);
    CHECK_FALSE(plain.cut);
    CHECK(plain.share(2) == 0.5);
    std::vector<double> warm_up(100, 10.0);
    for (std::size_t i = 0; i < 50; ++i) warm_up[i] = 11;
    warm_up[0] = 1'000;
    const ui::HeatScale cut = ui::find_heat_scale(warm_up);
    CHECK(cut.cut);
    CHECK(cut.high < 20);
    CHECK(cut.share(1'000) == 1);
}

TEST_CASE("a heat scale of both signs is centred on 0") {
    const ui::HeatScale scale = ui::find_heat_scale(std::vector<double>{-1, 0, 4});
    CHECK(scale.both_signs);
    CHECK(scale.low == -scale.high);
    CHECK(scale.share(0) == 0.5);
}

TEST_CASE("a scale of changes is centred on 0 for any signs") {
    for (const std::vector<double>& values : {std::vector<double>{1, 2, kNone}, std::vector<double>{-3, -1}}) {
        const ui::HeatScale scale = ui::find_centred_heat_scale(values);
        CHECK(scale.both_signs);
        CHECK(scale.low == -scale.high);
        CHECK(scale.share(0) == 0.5);
    }
    CHECK(ui::find_centred_heat_scale(std::vector<double>{0, 0}).share(0) == 0.5);
}

TEST_CASE("a heat scale is valid without values, with one value and with equal values") {
    for (const std::vector<double>& values :
         {std::vector<double>{}, std::vector<double>{kNone}, std::vector<double>{7}, std::vector<double>{5, 5, 5}}) {
        const ui::HeatScale scale = ui::find_heat_scale(values);
        CHECK(scale.low == scale.high);
        CHECK(scale.share(scale.low) == 0.5);
    }
}

TEST_CASE("heat colours get evenly lighter with the value") {
    const ui::HeatScale scale{0, 1, false, false};
    double before = luminance(ui::heat_color(scale, 0));
    for (int i = 1; i <= 16; ++i) {
        const double now = luminance(ui::heat_color(scale, i / 16.0));
        CHECK(now > before);
        before = now;
    }
    const ui::HeatScale both{-1, 1, false, true};
    CHECK(luminance(ui::heat_color(both, 0)) < luminance(ui::heat_color(both, 1)));
    CHECK(luminance(ui::heat_color(both, 0)) < luminance(ui::heat_color(both, -1)));
    CHECK(ui::heat_color(both, -1) != ui::heat_color(both, 1));
}

TEST_CASE("every rank and step is in the grid, for any number of them and any size") {
    const ui::testing::Headless gui;
    for (const std::size_t rows : {1u, 8u, 64u, 512u}) {
        for (const std::size_t columns : {1u, 12u, 500u}) {
            for (const ImVec2 plot : {ImVec2{40, 20}, ImVec2{700, 150}, ImVec2{3600, 900}}) {
                const Map map(rows, columns);
                const ui::HeatMap chart = map.chart();
                const ui::HeatGrid grid = ui::lay_out_heat_map(chart, plot);
                CHECK(grid.rows(chart) * grid.rows_per_cell >= rows);
                CHECK(grid.columns(chart) * grid.columns_per_cell >= columns);
                CHECK(grid.rows(chart) * grid.columns(chart) <= 12'000);
                CHECK(grid.cell_width * static_cast<float>(grid.columns(chart)) <= plot.x + 0.5f);
                CHECK(grid.cell_height * static_cast<float>(grid.rows(chart)) <= plot.y + 0.5f);
            }
        }
    }
}

TEST_CASE("a shared cell shows its greatest value") {
    const ui::testing::Headless gui;
    Map map(6, 6);
    map.values[4 * 6 + 3] = 9;
    map.values[0] = kNone;
    const ui::HeatGrid grid{3, 3, 10, 10};
    CHECK(ui::find_greatest(map.chart(), grid, 1, 1) == ui::HeatCell{4, 3});
    CHECK(ui::find_greatest(map.chart(), grid, 0, 0) == ui::HeatCell{0, 1});
    map.values[3 * 6 + 4] = -20;
    CHECK(ui::find_greatest(map.chart(), grid, 1, 1) == ui::HeatCell{3, 4});
}

TEST_CASE("a shared cell can show the mean of its known values") {
    const ui::testing::Headless gui;
    Map map(6, 6);
    const ui::HeatGrid grid{3, 3, 10, 10};
    for (std::size_t row = 3; row < 6; ++row)
        for (std::size_t column = 3; column < 6; ++column) map.values[row * 6 + column] = row == 3 ? kNone : 4.0;
    map.values[5 * 6 + 5] = 10;
    CHECK(ui::find_mean(map.chart(), grid, 1, 1) == doctest::Approx(5));
    for (double& value : map.values) value = kNone;
    CHECK(std::isnan(ui::find_mean(map.chart(), grid, 1, 1)));
}
