// The area panel.

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"
#include "ui/model/charts/duration_click.hpp"

namespace {

using core::testing::find_named;
using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

core::RunPtr area_run() {
    TraceFixture first;
    for (int i = 0; i < 10; ++i) first.kernel(i * 100, 20 + i, "gemm");
    first.kernel(0, 990, "ncclDevKernel_AllReduce", 9).cpu(0, 950, "aten::mm");
    return run_of({first.build(), TraceFixture().kernel(0, 40, "gemm").build()});
}

void choose_area(PanelDriver& panel, std::int64_t begin, std::int64_t end) {
    panel.change_view([&](ui::View& view) { view.area = core::RunRange{core::run_time(begin), core::run_time(end)}; });
    const core::AreaQuery query{panel.session.run(), *panel.view().area, {}, {}, panel.view().area_rows};
    panel.ephemera.sides.baseline.area_summary =
        std::make_shared<const core::AreaSummary>(core::summarize_area(query, {}).value());
    panel.wait_idle();
}

}  // namespace

TEST_CASE("names in the area form a table; a click on one shows the durations of its events") {
    PanelDriver panel("area", area_run());
    choose_area(panel, 0, 1000);
    nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    CHECK(shown["events"] == 13);
    CHECK(shown["names"]["rows"].size() == 3);
    CHECK(shown["histogram"]["name"] == "ncclDevKernel_AllReduce");
    CHECK(shown["busy"]["compute_ns"] == 245 + 40);
    panel.click("row:2");
    shown = panel.shown();
    CHECK(shown["histogram"]["name"] == "gemm");
    std::size_t count = 0;
    for (const nlohmann::json& of_bin : shown["histogram"]["counts"]) count += of_bin.get<std::size_t>();
    CHECK(count == 11);
    CHECK_FALSE(shown["histogram"].contains("marked_ns"));
}

TEST_CASE("a click on a bar of the durations filters by them, a second one takes that back") {
    PanelDriver panel("area", area_run());
    choose_area(panel, 0, 1000);
    const nlohmann::json histogram = panel.shown()["histogram"];
    std::size_t bin = 0;
    while (histogram["counts"][bin] == 0) ++bin;
    panel.click("bin:" + std::to_string(bin));
    const ui::SetFilter* const set = panel.last<ui::SetFilter>();
    REQUIRE(set);
    REQUIRE(set->filter.terms.size() == 1);
    const auto& term = std::get<core::DurationTerm>(set->filter.terms.front().what);
    CHECK(term.least == core::Duration{histogram["edges_ns"][bin].get<std::int64_t>()});
    CHECK(term.most == core::Duration{histogram["edges_ns"][bin + 1].get<std::int64_t>() - 1});
    CHECK(ui::with_durations(set->filter, term).empty());
}

TEST_CASE("the selected event's name is shown first, with its duration marked") {
    PanelDriver panel("area", area_run());
    panel.change_view([&](ui::View& view) {
        view.selected = {0, find_named(panel.session.run()->rank(0).trace(), "gemm")};
    });
    choose_area(panel, 0, 1000);
    CHECK(panel.shown()["histogram"]["name"] == "gemm");
    CHECK(panel.shown()["histogram"]["marked_ns"] == 20);
}

TEST_CASE("an area becomes the filter; without an area the panel explains how to select one") {
    PanelDriver panel("area", area_run());
    CHECK_FALSE(panel.shown().contains("events"));
    panel.change_view([&](ui::View& view) { view.area_rows = {{core::RankKey{1, 0}, true, {}, {}, {}, 0, 0}}; });
    choose_area(panel, 0, 500);
    CHECK(panel.shown()["events"] == 1);
    panel.click("filter");
    CHECK(core::format_filter(panel.session.filter()) == "time:+0ns..+500ns rank:1");
}

TEST_CASE("switching between totals by rank and by name keeps the old table until the new one is ready") {
    PanelDriver panel("area", area_run());
    choose_area(panel, 0, 1000);
    for (int i = 0; i < 3; ++i) {
        panel.click("Ranks");
        CHECK(panel.shown()["names"]["rows"].size() == 2);
        panel.click("Names");
        CHECK(panel.shown()["names"]["rows"].size() == 3);
    }
}
