#include "core/charts/axis.hpp"
#include "tests/ui/driver/headless.hpp"
#include "ui/charts/draw_shapes.hpp"
#include "ui/charts/error_bars.hpp"
#include "ui/charts/stacked_bars.hpp"
#include "ui/style/text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

TEST_CASE("axes have round ticks in a readable unit") {
    const core::Axis axis = core::make_axis(18.9e6, core::Unit::Ns, 4);
    CHECK(axis.suffix == "ms");
    CHECK(axis.most == doctest::Approx(20e6));
    CHECK(axis.step == doctest::Approx(5e6));
    CHECK(axis.ticks() == 5);
    CHECK(axis.label(axis.tick(1)) == "5");
    CHECK(core::make_axis(2.2e3, core::Unit::Ns, 4).label(500) == "0.5");
    CHECK(core::make_axis(3.0 * 1048576, core::Unit::Bytes, 3).suffix == "MiB");
    CHECK(core::make_axis(3 * 3600e9, core::Unit::Ns, 4).suffix == "min");  // as durations are formatted
    CHECK(core::make_axis(59e9, core::Unit::Ns, 4).suffix == "s");
    CHECK(core::make_axis(0.08, core::Unit::Ratio, 4).label(0.02) == "2");
}

TEST_CASE("an axis covers any maximum with whole steps") {
    for (double maximum = 1; maximum < 1e15; maximum *= 1.7) {
        for (const core::Unit unit :
             {core::Unit::Ns, core::Unit::Bytes, core::Unit::Count, core::Unit::Ratio, core::Unit::Number}) {
            const core::Axis axis = core::make_axis(maximum, unit, 4);
            CAPTURE(maximum);
            CHECK(axis.most >= maximum * (1 - 1e-9));
            CHECK(axis.ticks() >= 2);
            CHECK(axis.ticks() <= 12);
            CHECK(axis.most / axis.step == doctest::Approx(std::round(axis.most / axis.step)));
        }
    }
}

TEST_CASE("an axis without values is valid") {
    for (const double maximum :
         {0.0, -5.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        const core::Axis axis = core::make_axis(maximum, core::Unit::Ns);
        CHECK(axis.most > 0);
        CHECK(axis.ticks() >= 2);
    }
}

TEST_CASE("an extreme whisker does not flatten the bars") {
    const std::array near{ui::ErrorBar{"0", 10, 8, 20}, ui::ErrorBar{"1", 12, 8, 24}};
    CHECK(core::find_axis_end(near) == 24);
    const std::array far{ui::ErrorBar{"0", 10, 8, 1000}, ui::ErrorBar{"1", 12, 8, 24}};
    CHECK(core::find_axis_end(far) == 72);
    CHECK(core::find_axis_end({}) == 0);
}

TEST_CASE("an axis of negative values has 0 on one of its round ticks") {
    for (const auto& [least, most] : {std::pair{-30.0, 70.0}, {-5.0, 0.0}, {-1e9, 1.0}, {-0.3, 1e6}}) {
        const core::Axis axis = core::make_axis(least, most, core::Unit::Ns, 4);
        CAPTURE(least);
        CHECK(axis.least <= least);
        CHECK(axis.most >= most);
        CHECK(axis.ticks() <= 12);
        bool zero = false;
        for (std::size_t i = 0; i < axis.ticks(); ++i) zero |= axis.label(axis.tick(i)) == "0";
        CHECK(zero);
    }
    CHECK(core::make_axis(-20, 40, core::Unit::Ns, 4).share(-20) == 0);
    CHECK(core::make_axis(5, 40, core::Unit::Ns, 4).least == 0);
}

TEST_CASE("numbers below bars have room next to each other in charts of any width") {
    const ui::testing::Headless gui;
    for (const core::Unit unit : {core::Unit::Ns, core::Unit::BytesPerSecond, core::Unit::Ratio, core::Unit::Count}) {
        for (const double value : {0.07, 1.2, 980.0, 2.47e12}) {
            for (float width = 60; width < 1'500; width *= 1.3f) {
                for (const bool share : {false, true}) {
                    const std::vector<ui::BarRow> rows{{"row", {value}}};
                    const core::Axis axis = core::find_bar_axis(
                        {.parts = 1, .rows = rows, .unit = unit, .share = share}, width, ui::window_metrics());
                    float widest = 0;
                    for (std::size_t i = 0; i < axis.ticks(); ++i)
                        widest = std::max(widest, ui::text_width(ui::mono_style(), axis.label(axis.tick(i))));
                    CHECK((axis.ticks() == 2 || widest * static_cast<float>(axis.ticks() - 1) < width));
                    CHECK(axis.ticks() >= 2);
                    CHECK(axis.share(value) <= (share ? value : 1));
                }
            }
        }
    }
}

TEST_CASE("an axis includes negative bars and whiskers") {
    const ui::BarRow row{"a", {3, -1, -2, std::nan("")}};
    CHECK(row.above() == 3);
    CHECK(row.below() == -3);
    CHECK(row.total() == 0);
    const std::array bars{ui::ErrorBar{"0", -10, -12, 2}, ui::ErrorBar{"1", 4, 3, 5}};
    CHECK(core::find_axis_begin(bars) == -12);
    CHECK(core::find_axis_begin({}) == 0);
}

TEST_CASE("charts of no, one, negative and absent values are drawn") {
    const ui::testing::Headless gui;
    const std::vector<ui::BarPart> parts{{"a", 1, true}, {"b", 2}};
    const std::vector<std::vector<ui::BarRow>> cases{{},
                                                     {{"one", {5, 0}}},
                                                     {{"gain", {-5, 2}}, {"loss", {3, -9}}},
                                                     {{"none", {0, 0}, true}, {"faded", {1, 2}, false, true}}};
    for (const std::vector<ui::BarRow>& rows : cases) {
        for (const bool share : {false, true}) {
            ImGui::NewFrame();
            ImGui::SetNextWindowSize({400, 400});
            ImGui::Begin("charts");
            ui::draw_legend(parts, 30);
            ui::draw_stacked_bars("bars", {parts, rows, core::Unit::Ns, share}, {300, 90});
            std::vector<ui::ErrorBar> bars;
            for (const ui::BarRow& row : rows) bars.push_back({row.label, row.total(), row.below(), row.above()});
            ui::draw_error_bars("##whiskers", {bars, core::Unit::Bytes, "rank ", 1}, {200, 90});
            ImGui::End();
            ImGui::Render();
            CHECK(ImGui::GetDrawData()->TotalVtxCount > 0);
        }
    }
}

namespace {

// Counts vertices: every number adds text and bars, so a greater count means that more was drawn.
int draw_pair(const std::vector<ui::BarRow>& baseline, const std::vector<ui::BarRow>& candidate) {
    const std::vector<ui::BarPart> parts{{"a", 0xFF0000FF}, {"b", 0xFF00FF00}};
    ImGui::NewFrame();
    ImGui::SetNextWindowSize({600, 600});
    ImGui::Begin("charts");
    for (const bool share : {false, true})
        ui::draw_stacked_bars(share ? "shares" : "bars", {parts, baseline, core::Unit::Ns, share, candidate, 1},
                              {400, 120});
    std::vector<ui::ErrorBar> left;
    std::vector<ui::ErrorBar> right;
    for (std::size_t i = 0; i < baseline.size(); ++i) {
        const auto bar = [](const ui::BarRow& row) {
            ui::ErrorBar made{row.label, row.total(), row.below(), row.above()};
            made.missing = row.missing;
            return made;
        };
        left.push_back(bar(baseline[i]));
        right.push_back(bar(candidate[i]));
    }
    ui::draw_error_bars("##whiskers", {left, core::Unit::Ns, "rank ", 0xFF0000FF, right}, {300, 120});
    ImGui::End();
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
}

}  // namespace

TEST_CASE("pairs of no, one-sided, negative and absent values are drawn") {
    const ui::testing::Headless gui;
    ui::BarRow missing{"one", {0, 0}};
    missing.missing = true;
    CHECK(draw_pair({}, {}) > 0);
    CHECK(draw_pair({{"one", {5, 1}}}, {missing}) > 0);
    CHECK(draw_pair({missing}, {{"one", {5, 1}}}) > 0);
    CHECK(draw_pair({{"loss", {-5, 2}}}, {{"loss", {3, -9}}}) > 0);
    CHECK(draw_pair({{"none", {0, 0}, true}}, {{"none", {1, 2}, false, true}}) > 0);
    const double nothing = std::nan("");
    CHECK(draw_pair({{"odd", {nothing, 1e300}}}, {{"odd", {-1e300, nothing}}}) > 0);
}

TEST_CASE("a side without the category has no bar") {
    const ui::testing::Headless gui;
    ui::BarRow missing{"one", {7, 7}};
    missing.missing = true;
    const int one_side = draw_pair({{"one", {7, 7}}}, {missing});
    CHECK(one_side < draw_pair({{"one", {7, 7}}}, {{"one", {7, 7}}}));
}
