// Details of one event, and the links from them.

#include "core/diff/join/unique_events.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::find_named;
using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

core::RunPtr ranks_with_launches() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        traces.push_back(TraceFixture()
                             .step(0, 900, 4)
                             .cpu(10, 200, "aten::linear")
                             .cpu(20, 100, "aten::mm")
                             .launch(30, 5, 3)
                             .kernel(100, 50, "gemm", 7, 3)
                             .kernel(400, 70 + rank, "gemm", 7)
                             .rank(rank)
                             .build());
    return run_of(traces);
}

}  // namespace

TEST_CASE("details show an event's stack, siblings and links, and clicks follow them") {
    const core::RunPtr run = ranks_with_launches();
    PanelDriver panel("details", run, {420, 700});
    panel.change_view([&](ui::View& view) { view.selected = {0, find_named(run->rank(0).trace(), "gemm")}; });
    panel.wait_idle();
    const nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    CHECK(shown["name"] == "gemm");
    CHECK(shown["lines"]["Duration"] == "50 ns");
    REQUIRE(shown["stack"].size() == 4);
    CHECK(shown["stack"][0]["name"] == "cudaLaunchKernel");
    CHECK(shown["stack"][1]["name"] == "aten::mm");
    CHECK(shown["stack"][2]["name"] == "aten::linear");
    CHECK(shown["siblings"]["rank"]["count"] == 2);
    CHECK(shown["siblings"]["all"]["count"] == 4);
    CHECK(shown["siblings"]["all"]["most_ns"] == 71);
    CHECK(shown["siblings"]["all"]["percentile"] == 0);

    panel.click("all:Max");
    CHECK(panel.view().selected.slot == 1);
    CHECK(panel.shown()["lines"]["Duration"] == "71 ns");
    panel.change_view([&](ui::View& view) { view.selected = {0, find_named(run->rank(0).trace(), "gemm")}; });
    panel.wait_idle();
    panel.click("stack:2");
    CHECK(panel.shown()["name"] == "aten::linear");
}

TEST_CASE("details of an event whose name only one run has name that run") {
    const core::RunPtr run = ranks_with_launches();
    const core::RunPtr other = run_of({TraceFixture().kernel(0, 50, "gemm").build()});
    PanelDriver panel("details", run, {420, 700});
    const core::UniqueEvents only = core::find_unique_events({run, other}, {}).value();
    panel.ephemera.sides.baseline.unique_events = only.events.baseline;
    panel.change_view([&](ui::View& view) { view.selected = {0, find_named(run->rank(0).trace(), "aten::mm")}; });
    panel.wait_idle();
    CHECK(panel.shown()["only_in"] == "baseline");
    CHECK(panel.find("only-here") != nullptr);
    panel.change_view([&](ui::View& view) { view.selected = {0, find_named(run->rank(0).trace(), "gemm")}; });
    panel.wait_idle();
    CHECK_FALSE(panel.shown().contains("only_in"));
    CHECK(panel.find("only-here") == nullptr);
}

TEST_CASE("without a selection nothing is described") {
    const PanelDriver panel("details", ranks_with_launches());
    CHECK(panel.shown().is_null());
}

TEST_CASE("details list the same collective on other ranks and how it was matched, and clicks go there") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank)
        traces.push_back(TraceFixture().rank(rank).kernel(500 + 10 * rank, 200, "ncclDevKernel_AllReduce", 9).build());
    PanelDriver panel("details", run_of(traces), {420, 700});
    panel.change_view([&](ui::View& view) { view.selected = {0, core::EventId{0}}; });
    panel.wait_idle();
    const nlohmann::json shown = panel.shown();
    REQUIRE(shown["links"].size() == 1);
    CHECK(shown["links"][0]["label"] == "On rank 1");
    CHECK(shown["links"][0]["note"] == "+10 ns");
    panel.click("link:On rank 1");
    CHECK(panel.view().selected.slot == 1);
}
