// The panel Communication: its views have the numbers of the analyses, clicks filter and go to events.

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/ui/model/panels/communication/waiting_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;
using ui::testing::run_with_late_rank;

}  // namespace

TEST_CASE("waiting shows the sums of stragglers, and a click on a rank filters by it") {
    const core::RunPtr run = run_with_late_rank();
    PanelDriver driver("communication", run, {1200, 420});
    const auto shown = driver.shown();
    CHECK(shown["view"] == "waiting");
    CHECK(shown["fresh"] == true);
    CHECK(shown["order"][0] == "2");
    const core::Table table = core::testing::answer_of(*run, "stragglers").main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string rank = core::format_cell(table, row, table.find_column("rank"));
        CHECK(shown["ranks"][rank]["wait_caused_ns"] == table.number(row, table.find_column("wait_caused")));
        CHECK(shown["ranks"][rank]["own_wait_ns"] == table.number(row, table.find_column("own_wait")));
    }
    driver.click("waiting/bar:2");
    driver.wait_idle();
    CHECK(core::format_filter(driver.session.filter()) == "rank:2");
    CHECK(driver.shown()["ranks"]["0"]["in_filter"] == false);
}

TEST_CASE("a row of collectives opens its arrivals, and a click on one goes to its event") {
    const core::RunPtr run = run_with_late_rank();
    PanelDriver driver("communication", run, {1200, 420});
    driver.click("view/Collectives");
    driver.wait_idle();
    driver.click("collectives/row:0");
    driver.wait_idle();
    const auto shown = driver.shown();
    REQUIRE(shown.contains("open"));
    CHECK(shown["open"]["last_rank"] == "2");
    CHECK(shown["open"]["arrivals"].size() == 3);
    driver.click("arrival:2");
    driver.wait_idle();
    CHECK(driver.view().selected.slot == 2);
}

TEST_CASE("the headline is the sentence that the command line prints") {
    const core::RunPtr run = run_with_late_rank();
    PanelDriver driver("communication", run, {1200, 420});
    const core::Answer answer = core::testing::answer_of(*run, "stragglers");
    const core::Table* const summary = answer.find("summary");
    REQUIRE(summary);
    CHECK(driver.shown()["headline"] == std::string(summary->text(0, 1)));
}

TEST_CASE("runs without waiting say why, in every view") {
    TraceFixture alone;
    alone.kernel(0, 10, "ncclDevKernel_AllReduce");
    TraceFixture cpu;
    cpu.launch(0, 10, 1);
    for (const core::RunPtr& run : {run_of({alone.rank(0).build()}), run_of({cpu.rank(0).build()})}) {
        PanelDriver driver("communication", run, {900, 400});
        for (const char* const view : {"view/Bandwidth", "view/Matrix", "view/Waiting"}) {
            driver.click(view);
            driver.wait_idle();
            CHECK(driver.shown().value("why_empty", "") != "");
        }
    }
}

TEST_CASE("with two runs each view compares them") {
    const core::RunPtr run = run_with_late_rank();
    const core::RunPtr other = ui::testing::run_with_arrivals({{0, 50'000, 20'000}, {0, 90'000, 20'000}});
    PanelDriver driver("communication", run, {1200, 420}, other);
    CHECK(driver.shown().contains("comparison"));
    for (const char* const view : {"view/Bandwidth", "view/Matrix", "view/Collectives", "view/Waiting"}) {
        driver.click(view);
        driver.wait_idle();
    }
    CHECK(driver.shown()["view"] == "waiting");
}
