// The import report compared with the files' diagnostics.

#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

}  // namespace

TEST_CASE("the import report counts records and names the ranks of each kind of diagnostic") {
    const core::RunPtr run = run_of({TraceFixture().kernel(0, 10, "gemm").build(),
                                     TraceFixture().kernel(0, 10, "gemm", 7, 5).kernel(20, 10, "gemm", 7, 6).build()});
    const core::Diagnostics all = run->all_diagnostics();
    REQUIRE_FALSE(all.empty());
    const PanelDriver panel("import", run);
    const nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    CHECK(shown["files"] == 2);
    CHECK(shown["records"] == 3);
    CHECK(shown["records_dropped"] == 0);
    REQUIRE(shown["diagnostics"].size() == all.entries().size());
    for (const nlohmann::json& entry : shown["diagnostics"]) {
        CHECK(entry["count"] == all.count(entry["kind"].get<std::string>()));
        for (const nlohmann::json& rank : entry["ranks"]) CHECK((rank == "0" || rank == "1"));
    }
}

TEST_CASE("a run without diagnostics has an empty report") {
    const PanelDriver panel("import", run_of({TraceFixture().cpu(0, 10, "aten::mm").build()}));
    CHECK(panel.shown()["diagnostics"].empty());
    CHECK(panel.find("rank_stats"));
}

TEST_CASE("doctor findings come first, and a finding's example can be shown on the timeline") {
    TraceFixture late;
    late.step(0, 900'000, 1).launch(500'000, 5'000, 1).kernel(100'000, 5'000, "early", 7, 1);
    const core::RunPtr run =
        run_of({TraceFixture().step(0, 900'000, 1).launch(0, 10, 1).kernel(100'000, 5'000, "gemm", 7, 1).build(),
                late.build()});
    PanelDriver panel("import", run);
    const nlohmann::json shown = panel.shown();
    CHECK(shown["examined"] == true);
    REQUIRE(shown["doctor"].size() == 1);
    CHECK(shown["doctor"][0]["id"] == "kernels-before-launch");
    CHECK(shown["doctor"][0]["severity"] == "warning");
    CHECK(shown["doctor"][0]["ranks"] == nlohmann::json::array({"1"}));
    panel.click("example:kernels-before-launch");
    const ui::SelectEvent* select = panel.last<ui::SelectEvent>();
    REQUIRE(select);
    CHECK(select->show);
    CHECK(select->event.slot == 1);
    CHECK(run->rank(1).trace().name_text(select->event.event) == "early");
}

TEST_CASE("the doctor runs again when a rank arrives") {
    const auto rank = [](int number) {
        TraceFixture trace;
        trace.rank(number).info().world_size = 2;
        return trace.step(0, 900'000, 1).launch(0, 10, 1).kernel(90'000, 5'000, "gemm", 7, 1).build();
    };
    const core::RankTracePtr first = rank(0);
    PanelDriver panel("import", run_of({first}));
    REQUIRE(panel.shown()["doctor"].size() == 1);
    CHECK(panel.shown()["doctor"][0]["id"] == "ranks-missing");
    panel.session.set_run(run_of({first, rank(1)}));
    panel.wait_idle();
    CHECK(panel.shown()["doctor"].empty());
    CHECK(panel.shown()["rank_stats"] == "2 of 2 ranks; step 1 on each; windows overlap for 100.0 %; clocks unknown");
}
