// The breakdown of the run, the selection and the visible window, and clicks on its bars.

#include "core/query/filter_text.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::answer_of;
using core::testing::run_of;
using core::testing::TraceFixture;
using core::testing::value_of;
using ui::testing::PanelDriver;

core::RunPtr three_ranks() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank)
        traces.push_back(TraceFixture()
                             .kernel(0, 100, "gemm")
                             .kernel(200, 100 + 50 * rank, "ncclDevKernel_AllReduce", 20)
                             .kernel(250, 20, "gemm")
                             .kernel(1'000, 100, "gemm")
                             .rank(rank)
                             .build());
    return run_of(traces);
}

void check_against(const nlohmann::json& shown, const core::Run& run, std::string_view filter,
                   std::initializer_list<int> ranks) {
    const core::Answer answer = answer_of(run, "temporal-breakdown", filter);
    for (const int rank : ranks) {
        const nlohmann::json& row = shown["ranks"][std::to_string(rank)];
        for (const char* part : {"window", "compute", "exposed_communication", "exposed_memory", "idle"}) {
            CAPTURE(part);
            CHECK(row[std::string(part) + "_ns"] == value_of(answer.main(), part, rank));
        }
    }
}

}  // namespace

TEST_CASE("the breakdown shows the numbers of the answer, for the filter or for the run") {
    const core::RunPtr run = three_ranks();
    PanelDriver panel("breakdown", run);
    panel.session.set_filter(*core::parse_filter("class:compute time:..+500ns"));
    panel.wait_idle();
    CHECK(panel.shown()["scope"] == "selection");
    CHECK(panel.shown()["fresh"] == true);
    check_against(panel.shown(), *run, "class:compute time:..+500ns", {0, 1, 2});
    panel.click("Run");
    CHECK(panel.shown()["scope"] == "run");
    check_against(panel.shown(), *run, "", {0, 1, 2});
}

TEST_CASE("the breakdown of the visible window or an area equals that of a time filter") {
    const core::RunPtr run = three_ranks();
    PanelDriver panel("breakdown", run);
    panel.session.set_filter(*core::parse_filter("class:communication"));
    const core::RunTime begin = run->origin();
    panel.change_view([&](ui::View& view) {
        view.area = core::RunRange{begin + core::Duration{220}, begin + core::Duration{320}};
    });
    panel.wait_idle();
    CHECK(panel.shown()["fresh"] == true);
    check_against(panel.shown(), *run, "class:communication time:+220ns..+320ns", {0, 1, 2});
    panel.click("Visible");
    CHECK(panel.choices().follow_visible);
    CHECK(panel.shown()["scope"] == "visible");
    check_against(panel.shown(), *run, "class:communication", {0, 1, 2});
}

TEST_CASE("a click on a bar filters by its rank and fades the others; Ctrl adds a rank") {
    PanelDriver panel("breakdown", three_ranks());
    panel.click("bar:rank 1");
    CHECK(core::format_filter(panel.session.filter()) == "rank:1");
    CHECK(panel.shown()["ranks"]["1"]["in_filter"] == true);
    CHECK(panel.shown()["ranks"]["2"]["in_filter"] == false);
    CHECK(panel.shown()["classes"]["compute"]["time_ns"] == 200);
    panel.click("bar:rank 2", true);
    CHECK(core::format_filter(panel.session.filter()) == "rank:1-2");
    panel.click("bar:rank 0");
    panel.click("bar:rank 0");
    CHECK(panel.session.filter().empty());
}

TEST_CASE("a click on the legend or on a set of classes filters by class") {
    PanelDriver panel("breakdown", three_ranks());
    panel.click("legend:Exposed communication");
    CHECK(core::format_filter(panel.session.filter()) == "class:communication");
    panel.click("legend:Compute", true);
    CHECK(core::format_filter(panel.session.filter()) == "class:compute,communication");
    panel.click("set:compute");
    CHECK(core::format_filter(panel.session.filter()) == "class:compute");
    panel.session.undo();
    CHECK(core::format_filter(panel.session.filter()) == "class:compute,communication");
}

TEST_CASE("a run without a GPU has ranks without parts") {
    const PanelDriver panel("breakdown", run_of({TraceFixture().cpu(0, 10, "aten::mm").build()}));
    CHECK(panel.shown()["ranks"]["0"].contains("window_ns") == false);
    CHECK(panel.shown()["fresh"] == true);
}
