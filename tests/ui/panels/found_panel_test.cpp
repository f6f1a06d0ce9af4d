// Totals and events of a search.

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

core::RunPtr found_run() {
    return run_of({TraceFixture().kernel(0, 100, "gemm_a").kernel(200, 50, "gemm_b").kernel(400, 9, "relu").build(),
                   TraceFixture().kernel(0, 30, "gemm_b").build()});
}

void search(PanelDriver& panel, const std::string& text) {
    const core::RunPtr& run = panel.session.run();
    panel.ephemera.sides.baseline.search.text = text;
    panel.choose([&](ui::UiChoices& choices) { choices.find_text = text; });
    panel.ephemera.sides.baseline.search.found =
        core::FoundEvents::search({run, core::parse_find_text(text), {}, {}}, {}).value();
    panel.wait_idle();
}

}  // namespace

TEST_CASE("search results are summed by name and rank; a click on a row narrows the events, a second lists all") {
    PanelDriver panel("found", found_run());
    search(panel, "gemm");
    nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    CHECK(shown["events"] == 3);
    CHECK(shown["totals"]["rows"].size() == 2);
    CHECK(shown["hits"] == 3);
    panel.click("totals/row:1");
    shown = panel.shown();
    CHECK(shown["name"] == "gemm_b");
    CHECK(shown["hits"] == 2);
    panel.click("totals/row:1");
    CHECK(panel.shown()["hits"] == 3);
    panel.click("Ranks");
    panel.click("totals/row:1");
    CHECK(panel.shown()["rank"] == "1");
    CHECK(panel.shown()["hits"] == 1);
}

TEST_CASE("a found event is selected and shown, and the search can become part of the filter") {
    PanelDriver panel("found", found_run());
    search(panel, "gemm");
    panel.click("hits/row:0");
    REQUIRE(panel.last<ui::SelectEvent>());
    CHECK(panel.last<ui::SelectEvent>()->show);
    CHECK(panel.view().selected.slot == 0);
    panel.click("as-filter");
    CHECK(core::format_filter(panel.session.filter()) == "name:gemm");
    search(panel, "arg:Seq=1");
    panel.click("as-filter");
    CHECK(core::format_filter(panel.session.filter()) == "name:gemm");
}

TEST_CASE("without a search the panel explains how to start one, and errors are shown") {
    PanelDriver panel("found", found_run());
    CHECK_FALSE(panel.shown().contains("events"));
    panel.ephemera.sides.baseline.search = {nullptr, "/(/", "missing ) in \"(\"", false, 0};
    panel.wait_idle();
    CHECK(panel.shown()["error"] == "missing ) in \"(\"");
}
