// Charts of a page: lengths of bars, merging of many items, colours of the window's classes.

#include "core/export/report/svg_chart.hpp"

#include "core/export/report/svg_page.hpp"
#include "tests/core/export/report/markup.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace core;
using namespace core::testing;

namespace {

ChartModel bars_of(std::initializer_list<double> values) {
    ChartModel model;
    model.kind = ChartKind::Bars;
    model.parts = {"compute"};
    for (const double value : values) {
        const bool known = std::isfinite(value);
        model.items.push_back({std::to_string(model.items.size()), {known ? value : 0}, 0, known});
    }
    return model;
}

// The given attribute of every mark with this class, in order.
std::vector<double> values_of(const std::string& svg, const std::string& css, const std::string& attribute) {
    std::vector<double> values;
    const std::string begin = "<rect class=\"" + css + "\"";
    for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1)) {
        const std::size_t value = svg.find(" " + attribute + "=\"", at) + attribute.size() + 3;
        values.push_back(std::stod(svg.substr(value)));
    }
    return values;
}

bool chart_says(const std::string& svg, std::string_view text) { return svg.find(text) != std::string::npos; }

void check_chart(const std::string& svg) { CHECK(find_markup_error("<!DOCTYPE html>\n" + svg) == ""); }

}  // namespace

TEST_CASE("bars are as long as their values; unknown values have a dash") {
    const std::string svg = bars_to_svg(bars_of({10e6, 20e6, std::nan(""), 5e6}), nullptr, true, {"Bars"});
    check_chart(svg);
    const std::vector<double> widths = values_of(svg, "p-compute", "width");
    REQUIRE(widths.size() == 3);
    CHECK(widths[1] == doctest::Approx(2 * widths[0]).epsilon(0.01));
    CHECK(widths[0] == doctest::Approx(2 * widths[2]).epsilon(0.01));
    CHECK(chart_says(svg, "aria-label=\"Bars\""));
    CHECK(chart_says(svg, ">20.0 ms</text>"));
    CHECK(chart_says(svg, ">\xE2\x80\x93</text>"));
    CHECK(chart_says(svg, "<title>1\ncompute: 20.0 ms</title>"));
}

TEST_CASE("negative values are left of 0") {
    const std::string svg = bars_to_svg(bars_of({-10e6, 10e6}), nullptr, false, {"Rows", {}, {}, true});
    check_chart(svg);
    const std::vector<double> left = values_of(svg, "p-compute", "x");
    const std::vector<double> width = values_of(svg, "p-compute", "width");
    REQUIRE(left.size() == 2);
    CHECK(left[0] + width[0] == doctest::Approx(left[1]));
    CHECK(width[0] == doctest::Approx(width[1]));
    CHECK(chart_says(svg, ">+10.0 ms</text>"));
}

TEST_CASE("a comparison has the candidate's bar next to the baseline's, hatched") {
    const ChartModel baseline = bars_of({10e6, std::nan("")}), candidate = bars_of({20e6, 10e6});
    const std::string svg = bars_to_svg(baseline, &candidate, true, {"Both"});
    check_chart(svg);
    CHECK(values_of(svg, "p-compute", "height").size() == 3);
    CHECK(values_of(svg, "hatch", "height").size() == 2);
    CHECK(chart_says(svg, ">only in the candidate</text>"));
    CHECK(chart_says(svg, "<title>candidate, 0\ncompute: 20.0 ms</title>"));
}

TEST_CASE("too many numbered items are merged into means, too many named ones dropped, with a note") {
    ChartModel many = bars_of({});
    for (int i = 0; i < 130; ++i) many.items.push_back({std::to_string(i), {i % 2 == 0 ? 10e6 : 20e6}, 0, true});
    const std::string columns = bars_to_svg(many, nullptr, true, {"Many"});
    check_chart(columns);
    CHECK(values_of(columns, "p-compute", "height").size() == 26);
    CHECK(chart_says(columns, "Each bar is the mean of 5 neighbours."));
    CHECK(chart_says(columns,
                     "<title>0\xE2\x80\x93"
                     "4\ncompute: 14.0 ms</title>"));
    many.items[77].values[0] = 99e6;
    const std::string rows = bars_to_svg(many, nullptr, false, {"Many"});
    CHECK(values_of(rows, "p-compute", "height").size() == kMostNamedBars);
    CHECK(chart_says(rows, "The 16 largest of 130 names."));
    CHECK(rows.find("<title>77\n") < rows.find("<title>1\n"));
}

TEST_CASE("whiskers have tooltips; an extreme one ends in an arrow that a note explains") {
    ChartModel model;
    model.kind = ChartKind::ErrorBars;
    model.items = {{"0", {10, 8, 12}, 0, true}, {"1", {10, 9, 1000}, 0, true}};
    const std::string svg = bars_to_svg(model, nullptr, true, {"Whiskers"});
    check_chart(svg);
    CHECK(chart_says(svg, "<title>1\nmean 10 ns\nfrom 9 ns to 1.00 \xC2\xB5s</title>"));
    CHECK(values_of(svg, "p-compute", "height").size() == 2);
    CHECK(chart_says(svg, "<polygon class=\"whisker\""));
    CHECK(chart_says(svg, "Arrow: the greatest value is beyond the axis."));
    model.items.pop_back();
    CHECK_FALSE(chart_says(bars_to_svg(model, nullptr, true, {"Whiskers"}), "Arrow"));
}

TEST_CASE("sets of classes have the window's colours") {
    ChartModel model = bars_of({1});
    model.parts = {"compute+communication"};
    model.parts_are_sets = true;
    CHECK(chart_says(bars_to_svg(model, nullptr, true, {""}), "class=\"p-violet\""));
    model.parts_are_sets = false;
    model.parts = {"exposed_communication"};
    CHECK(chart_says(bars_to_svg(model, nullptr, true, {""}), "class=\"p-communication\""));
}

TEST_CASE("parts named in the trace keep their names") {
    ChartModel model = bars_of({1});
    model.parts = {"my_kernel-2"};
    CHECK(chart_says(bars_to_svg(model, nullptr, true, {}), ">my kernel 2</span>"));
    model.split = 1;
    const std::string svg = bars_to_svg(model, nullptr, true, {});
    CHECK(chart_says(svg, ">my_kernel-2</span>"));
    CHECK(chart_says(svg, "\nmy_kernel-2: 1 ns</title>"));
}

TEST_CASE("nothing to draw gives no chart, and extreme numbers are drawn") {
    CHECK(bars_to_svg({}, nullptr, true, {}).empty());
    CHECK(bars_to_svg(bars_of({}), nullptr, true, {}).empty());
    CHECK(bars_to_svg(bars_of({0, 0}), nullptr, true, {}).empty());
    CHECK(heat_map_to_svg({}, {}).empty());
    ChartModel odd = bars_of({1, 2, 3});
    odd.items[0].values[0] = std::numeric_limits<double>::infinity();
    odd.items[1].values[0] = std::nan("");
    for (const bool numbered : {true, false}) {
        const std::string svg = bars_to_svg(odd, nullptr, numbered, {});
        check_chart(svg);
        CHECK_FALSE(chart_says(svg, "nan"));
        CHECK_FALSE(chart_says(svg, "inf"));
    }
}

TEST_CASE("a heat map is darkest at the greatest value, and merges cells that do not fit") {
    HeatTable grid{{"0", "1"}, {"7"}, "rank", "step", {1e6, 3e6}, Unit::Ns, false};
    const std::string svg = heat_map_to_svg(grid, {"Heat"});
    check_chart(svg);
    CHECK(values_of(svg, "heat", "fill-opacity") == std::vector<double>{0.08, 1.0});
    CHECK(chart_says(svg, "<title>rank 1, step 7: 3.00 ms</title>"));
    grid.is_change = true;
    grid.values = {-1e6, std::nan("")};
    const std::string change = heat_map_to_svg(grid, {"Heat"});
    CHECK(values_of(change, "heat less", "fill-opacity") == std::vector<double>{1.0});
    CHECK(values_of(change, "nothing", "width").size() == 1);
    grid.values.clear();
    CHECK(heat_map_to_svg(grid, {"Heat"}).empty());
    HeatTable large{{}, {}, "rank", "step", {}, Unit::Ns, false};
    for (int i = 0; i < 100; ++i) {
        large.rows.push_back(std::to_string(i));
        large.columns.push_back(std::to_string(i));
    }
    for (std::size_t i = 0; i < 10'000; ++i) large.values.push_back(i == 202 ? 7.0 : 5.0);
    const std::string joined = heat_map_to_svg(large, {"Heat"});
    check_chart(joined);
    CHECK(values_of(joined, "heat", "width").size() <= 2048);
    CHECK(chart_says(joined, "Each cell shows the greatest of "));
    CHECK(chart_says(joined, ": 7 ns</title>"));
}

TEST_CASE("lines keep their extremes for any number of values") {
    TraceFixture fixture;
    fixture.rank(3).kernel(0, 1'000'000, "k");
    const RunPtr run = run_of({fixture.build()});
    Series series{"allocated", 0, Unit::Bytes, {}, {}};
    for (int i = 0; i < 100'000; ++i) {
        series.time.push_back(run_time(i * 10));
        series.value.push_back(i == 54'321 ? 1024.0 : 512.0);
    }
    const std::string svg = lines_to_svg({&series, 1}, *run, {"Memory"});
    check_chart(svg);
    CHECK(svg.size() < 60'000);
    CHECK(chart_says(svg, "rank 3, allocated"));
    const std::size_t points = svg.find("points=\"");
    CHECK(svg.find(",24 ", points) != std::string::npos);  // the top of the plot
    CHECK(lines_to_svg({}, *run, {"Memory"}).empty());
}

TEST_CASE("labels that fit are whole, longer ones are cut, and the whole name is on hover") {
    ChartModel model = bars_of({1, 2, 3, 4});
    model.items[0].label = "abcd";
    model.items[1].label = std::string(300, 'x');
    model.items[2].label = "<script>alert(1)</script>";
    const std::string svg = bars_to_svg(model, nullptr, false, {"Labels"});
    check_chart(svg);
    CHECK(chart_says(svg, ">abcd</text>"));
    CHECK(chart_says(svg, "<title>" + std::string(300, 'x') + "</title>"));
    CHECK_FALSE(chart_says(svg, ">" + std::string(300, 'x') + "</text>"));
    CHECK_FALSE(chart_says(svg, "<script>"));
    CHECK(chart_says(svg, "&lt;script&gt;"));
}
