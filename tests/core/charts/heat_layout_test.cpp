// Scales and the grid of heat maps.

#include "core/charts/heat_layout.hpp"
#include "tests/core/charts/plain_metrics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> numbers_to(std::size_t count) {
    std::vector<std::string> made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(std::to_string(i));
    return made;
}

struct Map {
    std::vector<std::string> rows, columns;
    std::vector<double> values;
    Map(std::size_t r, std::size_t c) : rows(numbers_to(r)), columns(numbers_to(c)), values(r * c, 1.0) {}
    core::HeatValues chart() const {
        return {.rows = rows, .columns = columns, .values = values, .scale = core::find_heat_scale(values)};
    }
};

}  // namespace

TEST_CASE("a heat scale covers the finite values and is cut below a few outliers") {
    const core::HeatScale plain = core::find_heat_scale(std::vector<double>{3, kNone, 1, 2});
    CHECK(plain.low == 1);
    CHECK(plain.high == 3);
    CHECK_FALSE(plain.cut);
    CHECK(plain.share(2) == 0.5);
    std::vector<double> warm_up(100, 10.0);
    for (std::size_t i = 0; i < 50; ++i) warm_up[i] = 11;
    warm_up[0] = 1'000;
    const core::HeatScale cut = core::find_heat_scale(warm_up);
    CHECK(cut.cut);
    CHECK(cut.high < 20);
    CHECK(cut.share(1'000) == 1);
}

TEST_CASE("a heat scale of both signs is centred on 0") {
    const core::HeatScale scale = core::find_heat_scale(std::vector<double>{-1, 0, 4});
    CHECK(scale.both_signs);
    CHECK(scale.low == -scale.high);
    CHECK(scale.share(0) == 0.5);
}

TEST_CASE("a scale of changes is centred on 0 for any signs") {
    for (const std::vector<double>& values : {std::vector<double>{1, 2, kNone}, std::vector<double>{-3, -1}}) {
        const core::HeatScale scale = core::find_centred_heat_scale(values);
        CHECK(scale.both_signs);
        CHECK(scale.low == -scale.high);
        CHECK(scale.share(0) == 0.5);
    }
    CHECK(core::find_centred_heat_scale(std::vector<double>{0, 0}).share(0) == 0.5);
}

TEST_CASE("a heat scale is valid without values, with one value and with equal values") {
    for (const std::vector<double>& values :
         {std::vector<double>{}, std::vector<double>{kNone}, std::vector<double>{7}, std::vector<double>{5, 5, 5}}) {
        const core::HeatScale scale = core::find_heat_scale(values);
        CHECK(scale.low == scale.high);
        CHECK(scale.share(scale.low) == 0.5);
    }
}

TEST_CASE("every rank and step is in the grid, for any number of them and any size") {
    for (const std::size_t rows : {1u, 8u, 64u, 512u}) {
        for (const std::size_t columns : {1u, 12u, 500u}) {
            for (const core::ChartPoint plot : {core::ChartPoint{40, 20}, {700, 150}, {3600, 900}}) {
                const Map map(rows, columns);
                const core::HeatValues chart = map.chart();
                const core::HeatGrid grid =
                    core::find_heat_grid(chart, plot, core::kMostHeatCells, core::testing::PlainMetrics());
                CHECK(grid.rows(chart) * grid.rows_per_cell >= rows);
                CHECK(grid.columns(chart) * grid.columns_per_cell >= columns);
                CHECK(grid.rows(chart) * grid.columns(chart) <= core::kMostHeatCells);
                CHECK(grid.cell_width * static_cast<float>(grid.columns(chart)) <= plot.x + 0.5f);
                CHECK(grid.cell_height * static_cast<float>(grid.rows(chart)) <= plot.y + 0.5f);
            }
        }
    }
}

TEST_CASE("a shared cell shows its greatest value") {
    Map map(6, 6);
    map.values[4 * 6 + 3] = 9;
    map.values[0] = kNone;
    const core::HeatGrid grid{3, 3, 10, 10};
    CHECK(core::find_greatest(map.chart(), grid, 1, 1) == core::HeatCell{4, 3});
    CHECK(core::find_greatest(map.chart(), grid, 0, 0) == core::HeatCell{0, 1});
    map.values[3 * 6 + 4] = -20;
    CHECK(core::find_greatest(map.chart(), grid, 1, 1) == core::HeatCell{3, 4});
}

TEST_CASE("a shared cell can show the mean of its known values") {
    Map map(6, 6);
    const core::HeatGrid grid{3, 3, 10, 10};
    for (std::size_t row = 3; row < 6; ++row)
        for (std::size_t column = 3; column < 6; ++column) map.values[row * 6 + column] = row == 3 ? kNone : 4.0;
    map.values[5 * 6 + 5] = 10;
    CHECK(core::find_mean(map.chart(), grid, 1, 1) == doctest::Approx(5));
    for (double& value : map.values) value = kNone;
    CHECK(std::isnan(core::find_mean(map.chart(), grid, 1, 1)));
}

TEST_CASE("cells cover the plot without overlap, and the legend has the scale's ends") {
    const core::testing::PlainMetrics metrics;
    Map map(8, 12);
    for (std::size_t i = 0; i < map.values.size(); ++i) map.values[i] = static_cast<double>(i) * 1e6;
    const core::HeatValues chart = map.chart();
    const core::HeatLayout layout = core::lay_out_heat_map(chart, {{0, 0}, {600, 200}}, core::kMostHeatCells, metrics);
    for (std::size_t row = 0; row < layout.rows; ++row) {
        for (std::size_t column = 0; column + 1 < layout.columns; ++column) {
            const core::ChartBox cell = layout.cell(row, column, metrics);
            CHECK(cell.width() > 0);
            CHECK(cell.height() > 0);
            CHECK(cell.max.x <= layout.cell(row, column + 1, metrics).min.x);
        }
    }
    const auto steps = core::find_heat_steps(chart, layout, metrics);
    CHECK(steps.front().value > steps.back().value);
    CHECK(steps.front().box.min.y == layout.min.y);
    CHECK(steps.back().box.max.y == doctest::Approx(layout.min.y + layout.legend_height));
    core::ChartShapes shapes;
    core::add_heat_legend_labels(chart, layout, metrics, shapes);
    REQUIRE(shapes.all().size() == 3);
    CHECK(shapes.all().front().text == "95 ms");
    CHECK(shapes.all().back().text == "0 ms");
}
