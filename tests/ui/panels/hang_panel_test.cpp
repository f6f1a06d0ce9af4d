#include "core/ingest/load/load_run.hpp"
#include "tests/core/ingest/flight_recorder/hung_job.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using ui::testing::PanelDriver;

core::RunPtr load_folder(const std::filesystem::path& folder) {
    core::LoadProgress progress;
    const std::filesystem::path paths[] = {folder};
    const core::Result<core::RunPtr> run = core::load_run(paths, {}, progress, {});
    REQUIRE(run);
    return *run;
}

core::RunPtr hung_job() {
    const core::testing::TempFolder folder;
    core::testing::write_hung_job(folder.path());
    return load_folder(folder.path());
}

}  // namespace

TEST_CASE(
    "the first collective that some rank did not enter is shown with the missing ranks, and pending calls are "
    "counted") {
    const PanelDriver panel("hang", hung_job());
    const nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    REQUIRE(shown["groups"].size() == 2);
    CHECK(shown["groups"][0]["group"] == "group_0 0");
    CHECK(shown["groups"][0]["collective"] == "all_reduce 4");
    CHECK(shown["groups"][0]["missing"] == "2");
    CHECK(shown["groups"][0]["waiting"] == 3);
    CHECK(shown["groups"][1]["missing"] == "");
    REQUIRE(shown["ranks"].size() == 4);
    CHECK(shown["ranks"][2]["verdict"] == "missing in 1 group");
    CHECK(shown["ranks"][2]["pending"] == 0);
    CHECK(shown["ranks"][0]["verdict"] == "");
    CHECK(shown["ranks"][0]["calls"] == 6);
    CHECK(shown["ranks"][0]["pending"] == 3);
}

TEST_CASE("a click on a group shows its calls alone, and another one all again") {
    PanelDriver panel("hang", hung_job());
    panel.click("group:0");
    CHECK(panel.shown()["ranks"][0]["calls"] == 5);
    panel.click("group:0");
    CHECK(panel.shown()["ranks"][0]["calls"] == 6);
}

TEST_CASE("a click on a call selects it on the timeline") {
    const core::testing::TempFolder folder;
    core::testing::FlightFixture dump;
    dump.call({.number = 1, .at = 0});  // pending: as long as the picture
    std::ofstream(folder.path() / "rank_0", std::ios::binary) << core::testing::pickled(dump.build());
    PanelDriver panel("hang", load_folder(folder.path()));
    panel.click("ranks/rank:0");
    const ui::SelectEvent* const select = panel.last<ui::SelectEvent>();
    REQUIRE(select);
    CHECK(select->show);
    CHECK(select->event.slot == 0);
}

TEST_CASE("a run without dumps has no calls to show") {
    const core::RunPtr run = core::testing::run_of({core::testing::TraceFixture().kernel(0, 10, "gemm").build()});
    const PanelDriver panel("hang", run);
    CHECK(panel.shown()["ranks"].empty());
}
