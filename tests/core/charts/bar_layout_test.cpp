// Shapes of bars: their places, what they carry, and what the pointer finds in them.

#include "core/charts/bar_layout.hpp"
#include "core/charts/whisker_layout.hpp"
#include "tests/core/charts/plain_metrics.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace core;

namespace {

std::vector<ChartShape> only(const ChartShapes& shapes, ChartRole role) {
    std::vector<ChartShape> found;
    for (const ChartShape& shape : shapes.all())
        if (shape.role == role) found.push_back(shape);
    return found;
}

ChartShapes shapes_of(const Bars& bars, const BarLayout& layout) {
    ChartShapes shapes;
    for (std::size_t row = 0; row < bars.rows.size(); ++row)
        add_bar_row(bars, layout, row, {0, layout.pitch * static_cast<float>(row)}, testing::PlainMetrics(), shapes);
    return shapes;
}

}  // namespace

TEST_CASE("parts follow each other on their side of 0 and carry their item, part and side") {
    const std::vector<BarRow> rows{{"gain", {4, 2}}, {"loss", {-3, std::nan("")}}};
    const std::vector<BarRow> others{{"gain", {1, 1}}, {.label = "loss", .values = {0, 0}, .missing = true}};
    const Bars bars{.parts = 2, .rows = rows, .candidates = others, .unit = Unit::Count};
    const BarLayout layout = lay_out_bars(bars, 400, 30, 0, testing::PlainMetrics());
    const ChartShapes shapes = shapes_of(bars, layout);
    const std::vector<ChartShape> parts = only(shapes, ChartRole::Part);
    REQUIRE(parts.size() == 5);
    CHECK(parts[0].b.x + parts[0].gap == parts[1].a.x);
    CHECK(parts[1].part == 1);
    CHECK(parts[2].side == Side::Candidate);
    CHECK(parts[4].item == 1);
    CHECK(parts[4].b.x < parts[0].a.x + 1);
    const float zero = layout.on_axis(layout.label_width).x(0);
    CHECK(parts[0].a.x == zero);
    CHECK(parts[4].b.x + parts[4].gap == zero);
    REQUIRE(only(shapes, ChartRole::Candidate).size() == 1);
    CHECK(only(shapes, ChartRole::Candidate)[0].a.x == zero);
    REQUIRE(only(shapes, ChartRole::Gap).size() == 1);
    CHECK(only(shapes, ChartRole::Gap)[0].text == "only in the baseline");
}

TEST_CASE("the pointer finds a part at every pixel of a bar, and nothing outside of it") {
    const std::vector<BarRow> rows{{"a", {5, 0.001, 5}}};
    const Bars bars{.parts = 3, .rows = rows, .unit = Unit::Count};
    const BarLayout layout = lay_out_bars(bars, 300, 20, 0, testing::PlainMetrics());
    const ChartShapes shapes = shapes_of(bars, layout);
    const std::vector<ChartShape> parts = only(shapes, ChartRole::Part);
    REQUIRE(parts.size() == 3);
    const float y = parts[0].a.y;
    for (float x = parts[0].a.x; x < parts[2].b.x; ++x) CHECK(find_part(shapes.all(), {x, y}) != nullptr);
    CHECK(find_part(shapes.all(), {parts[0].b.x, y})->part == 0);  // on the gap
    CHECK(find_part(shapes.all(), {parts[2].b.x - 1, y})->part == 2);
    CHECK(find_part(shapes.all(), {parts[2].b.x, y}) == nullptr);
    CHECK(find_part(shapes.all(), {parts[0].a.x - 1, y}) == nullptr);
    CHECK(find_part(shapes.all(), {parts[0].a.x, y - 1}) == nullptr);
}

TEST_CASE("a part has its percentage if there is room for it") {
    const std::vector<BarRow> rows{{"a", {90, 1}}};
    const Bars bars{.parts = 2, .rows = rows, .unit = Unit::Count};
    const ChartShapes shapes = shapes_of(bars, lay_out_bars(bars, 300, 20, 0, testing::PlainMetrics()));
    const std::vector<ChartShape> shares = only(shapes, ChartRole::Share);
    REQUIRE(shares.size() == 1);
    CHECK(shares[0].part == 0);
    CHECK(shares[0].text == format_value(90.0 / 91, Unit::Ratio));
}

TEST_CASE("whiskers span least to greatest, and end in an arrow beyond the axis") {
    const std::vector<ErrorBar> bars{{"0", 10, 8, 12}, {"1", 10, 9, 1000}, {"2", 0, 0, 0, 0, false, false, true}};
    const Whiskers whiskers{.bars = bars};
    const WhiskerLayout layout = lay_out_whiskers(whiskers, {{0, 0}, {400, 200}}, testing::PlainMetrics());
    ChartShapes shapes;
    add_whiskers(whiskers, layout, testing::PlainMetrics(), shapes);
    CHECK(layout.axis.most >= 60);
    CHECK(layout.axis.most < 1000);
    CHECK(only(shapes, ChartRole::Part).size() == 2);
    CHECK(only(shapes, ChartRole::Gap).size() == 1);
    std::size_t arrows = 0;
    for (const ChartShape& shape : shapes.all()) arrows += shape.kind == ChartShape::Kind::Triangle ? 1 : 0;
    CHECK(arrows == 1);
    const std::vector<ChartShape> lines = only(shapes, ChartRole::Whisker);
    CHECK(lines[0].a.y == layout.on_axis().y(12));
    CHECK(lines[0].b.y == layout.on_axis().y(8));
    CHECK(layout.category_at(layout.middle(1), 3) == 1);
    CHECK(layout.category_at(layout.plot.min.x - 1, 3) == std::nullopt);
}
