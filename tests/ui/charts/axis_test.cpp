#include "ui/charts/axis.hpp"
#include "ui/charts/error_bars.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

TEST_CASE("axes have round ticks in a readable unit") {
    const ui::Axis axis = ui::make_axis(18.9e6, core::Unit::Ns, 4);
    CHECK(axis.suffix == "ms");
    CHECK(axis.most == doctest::Approx(20e6));
    CHECK(axis.step == doctest::Approx(5e6));
    CHECK(axis.ticks() == 5);
    CHECK(axis.label(axis.tick(1)) == "5");
    CHECK(ui::make_axis(2.2e3, core::Unit::Ns, 4).label(500) == "0.5");
    CHECK(ui::make_axis(3.0 * 1048576, core::Unit::Bytes, 3).suffix == "MiB");
    CHECK(ui::make_axis(0.08, core::Unit::Ratio, 4).label(0.02) == "2");
}

TEST_CASE("an axis covers its maximum with whole steps, whatever it is") {
    for (double maximum = 1; maximum < 1e15; maximum *= 1.7) {
        for (const core::Unit unit :
             {core::Unit::Ns, core::Unit::Bytes, core::Unit::Count, core::Unit::Ratio, core::Unit::Number}) {
            const ui::Axis axis = ui::make_axis(maximum, unit, 4);
            CAPTURE(maximum);
            CHECK(axis.most >= maximum * (1 - 1e-9));
            CHECK(axis.ticks() >= 2);
            CHECK(axis.ticks() <= 12);
            CHECK(axis.most / axis.step == doctest::Approx(std::round(axis.most / axis.step)));
        }
    }
}

TEST_CASE("an axis of nothing is still an axis") {
    for (const double maximum :
         {0.0, -5.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        const ui::Axis axis = ui::make_axis(maximum, core::Unit::Ns);
        CHECK(axis.most > 0);
        CHECK(axis.ticks() >= 2);
    }
}

TEST_CASE("a whisker far beyond the means does not flatten the bars") {
    const std::array near{ui::ErrorBar{"0", 10, 8, 20}, ui::ErrorBar{"1", 12, 8, 24}};
    CHECK(ui::find_axis_end(near) == 24);
    const std::array far{ui::ErrorBar{"0", 10, 8, 1000}, ui::ErrorBar{"1", 12, 8, 24}};
    CHECK(ui::find_axis_end(far) == 72);
    CHECK(ui::find_axis_end({}) == 0);
}
