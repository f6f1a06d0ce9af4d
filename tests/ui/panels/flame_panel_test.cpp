// The flame graph panel: contents, clicks, empty states, and two runs.

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using nlohmann::json;
using ui::testing::PanelDriver;

// Per rank and step: linear (600) calls addmm (400), which launches gemm (`gemm` ns); relu (200) launches nothing.
core::RunPtr flame_ranks(int steps = 1, std::int64_t gemm = 5'000, std::int64_t addmm = 400) {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture fixture;
        for (int step = 0; step < steps; ++step) {
            const std::int64_t at = 10'000 * step;
            fixture.step(at, 9'000, step)
                .cpu(at + 10, 600, "aten::linear")
                .cpu(at + 20, addmm, "aten::addmm")
                .launch(at + 30, 10, step + 1)
                .cpu(at + 700, 200, "aten::relu")
                .kernel(at + 1'000, gemm, "gemm", 7, step + 1);
        }
        traces.push_back(fixture.rank(rank).build());
    }
    return run_of(traces);
}

json below(const PanelDriver& panel, const char* graph = "graph") {
    json names = json::array();
    const json shown = panel.shown();
    for (const json& frame : shown[graph]["below"]) names.push_back(frame["name"]);
    return names;
}

}  // namespace

TEST_CASE("the flame graph merges ranks and steps; a click zooms, a click above the zoomed frame zooms out") {
    PanelDriver panel("flame-graph", flame_ranks(3));
    CHECK(panel.shown()["graph"]["total_ns"] == 2 * 3 * 800);
    CHECK(panel.shown()["graph"]["levels"] == 3);
    CHECK(panel.shown()["graph"]["drawn"] == 4);
    CHECK(below(panel) == json{"aten::linear", "aten::relu"});
    panel.click("frame:1:aten::linear");
    CHECK(panel.shown()["zoom"] == json{"aten::linear"});
    CHECK(panel.shown()["graph"]["zoomed"]["self_ns"] == 2 * 3 * 200);
    CHECK(below(panel) == json{"aten::addmm"});
    CHECK_FALSE(panel.find("frame:1:aten::relu"));
    panel.click("frame:2:aten::addmm");
    CHECK(panel.shown()["zoom"] == json{"aten::linear", "aten::addmm"});
    CHECK(panel.find("frame:1:aten::linear")->max.x == panel.find("frame:2:aten::addmm")->max.x);
    panel.click("frame:1:aten::linear");
    CHECK(panel.shown()["zoom"] == json{"aten::linear"});
    panel.click("frame:0:");
    CHECK(panel.shown()["zoom"] == json::array());
}

TEST_CASE("by kernel time, frame widths are the launched GPU time, and the zoom is kept") {
    PanelDriver panel("flame-graph", flame_ranks(3));
    panel.click("frame:1:aten::linear");
    panel.click("kernel");
    CHECK(panel.shown()["measure"] == "kernel_time");
    CHECK(panel.shown()["graph"]["kernel_time_ns"] == 2 * 3 * 5'000);
    CHECK(panel.shown()["graph"]["zoomed"]["name"] == "aten::linear");
    panel.click("whole");
    CHECK(below(panel) == json{"aten::linear"});
}

TEST_CASE("with annotations, steps contain the operators") {
    PanelDriver panel("flame-graph", flame_ranks(3));
    panel.click("annotations");
    CHECK(below(panel) == json{"ProfilerStep"});
    panel.click("frame:1:ProfilerStep");
    CHECK(below(panel) == json{"aten::linear", "aten::relu"});
    CHECK(panel.shown()["graph"]["zoomed"]["total_ns"] == 2 * 3 * 9'000);
}

TEST_CASE("the flame graph follows the filter") {
    PanelDriver panel("flame-graph", flame_ranks(3));
    panel.session.set_filter(*core::parse_filter("rank:1 step:2"));
    panel.wait_idle();
    CHECK(panel.shown()["graph"]["total_ns"] == 800);
    panel.session.set_filter(*core::parse_filter("name:addmm"));
    panel.wait_idle();
    CHECK(below(panel) == json{"aten::linear"});  // its callers
    CHECK(panel.shown()["graph"]["total_ns"] == 2 * 3 * 400);
    panel.session.set_filter(*core::parse_filter("class:compute"));
    panel.wait_idle();
    CHECK_FALSE(panel.shown()["graph"].contains("total_ns"));
    panel.click("kernel");
    CHECK(panel.shown()["graph"]["kernel_time_ns"] == 2 * 3 * 5'000);
}

TEST_CASE("a flame graph without events says so") {
    PanelDriver none("flame-graph", run_of({TraceFixture().kernel(0, 100, "gemm").build()}));
    CHECK_FALSE(none.shown()["graph"].contains("total_ns"));
    none.click("kernel");
    CHECK(below(none) == json{"(unattributed)"});
}

TEST_CASE("a flame graph of Python needs Python stacks") {
    {
        PanelDriver panel("flame-graph", flame_ranks());
        panel.click("python");
        CHECK_FALSE(panel.shown()["graph"].contains("total_ns"));
    }
    PanelDriver stacks("flame-graph", run_of({TraceFixture()
                                                  .event(0, 100, "train.py(3): main", "python_function", {})
                                                  .event(10, 50, "train.py(9): step", "python_function", {})
                                                  .cpu(20, 10, "aten::mm")
                                                  .build()}));
    stacks.click("python");
    CHECK(stacks.shown()["graph"]["total_ns"] == 100);
    CHECK(stacks.shown()["graph"]["levels"] == 3);
}

TEST_CASE("two runs have one flame graph each, zoom together, and show changes per step") {
    PanelDriver panel("flame-graph", flame_ranks(3), {1200, 400}, flame_ranks(2, 10'000, 200));
    CHECK(below(panel) == below(panel, "candidate"));
    panel.click("baseline/frame:1:aten::linear");
    CHECK(panel.shown()["candidate"]["zoomed"]["name"] == "aten::linear");
    // Equal time per step in total; addmm has half as much.
    CHECK(panel.shown()["candidate"]["below"][0]["change"] == doctest::Approx(-0.5));
    CHECK(panel.shown()["graph"]["below"][0]["change"] == doctest::Approx(-0.5));
    panel.click("by-change");
    CHECK(panel.shown()["by_change"] == true);
    panel.click("kernel");
    CHECK(panel.shown()["candidate"]["below"][0]["change"] == doctest::Approx(0.5));
    CHECK(panel.find("candidate/frame:2:aten::addmm"));
}
