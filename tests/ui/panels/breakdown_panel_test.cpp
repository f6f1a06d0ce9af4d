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

TEST_CASE("the breakdown of an area of some rows counts these ranks and streams only, and says so") {
    const core::RunPtr run = three_ranks();
    PanelDriver panel("breakdown", run);
    const core::RankTrace& trace = run->rank(2).trace();
    std::vector<core::TrackRows> rows{{core::RankKey{1, 0}, true, {}, {}, {}, 0, 0}};
    for (std::uint32_t track = 0; track < trace.tracks.size(); ++track)
        if (trace.tracks[track].stream == 20) rows.push_back(core::name_rows(run->rank(2), track, 0, 1));
    REQUIRE(rows.size() == 2);
    const core::RunRange area{run->origin() + core::Duration{150}, run->origin() + core::Duration{500}};
    panel.change_view([&](ui::View& view) {
        view.area = area;
        view.area_rows = rows;
    });
    panel.frame();
    CHECK(panel.shown()["fresh"] == false);  // until the timeline has summed the area
    panel.ephemera.sides.baseline.area_summary = std::make_shared<const core::AreaSummary>(
        core::summarize_area(core::AreaQuery{run, area, {}, {}, rows}, {}).value());
    panel.wait_idle();
    const nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    CHECK(shown["ranks"].size() == 2);
    check_against(shown, *run, "time:+150ns..+500ns", {1});
    // Stream 20 alone: its window ends with its last event, and it has no compute.
    CHECK(shown["ranks"]["2"]["window_ns"] == 200);
    CHECK(shown["ranks"]["2"]["exposed_communication_ns"] == 200);
    CHECK(shown["of"].get<std::string>().starts_with("2 of 3 ranks \xC2\xB7 "));
    panel.click("Run");
    CHECK(panel.shown()["ranks"].size() == 3);
    CHECK(panel.shown()["of"].get<std::string>().starts_with("3 ranks \xC2\xB7 "));
}

TEST_CASE("a filter by class dims the bars of the others, and their lengths stay") {
    PanelDriver panel("breakdown", three_ranks());
    const nlohmann::json before = panel.shown();
    CHECK(before["dimmed"].empty());
    panel.session.set_filter(*core::parse_filter("class:communication"));
    panel.wait_idle();
    CHECK(panel.shown()["dimmed"] == nlohmann::json{"Compute", "Exposed memory", "Idle"});
    CHECK(panel.shown()["ranks"] == before["ranks"]);
    panel.click("Run");  // without the filter
    CHECK(panel.shown()["dimmed"].empty());
}

TEST_CASE("a filter by name or duration dims the classes of which it chooses nothing, and lengths stay") {
    PanelDriver panel("breakdown", three_ranks());
    const nlohmann::json before = panel.shown();
    panel.session.set_filter(*core::parse_filter("name:ncclDevKernel"));
    panel.wait_idle();
    CHECK(panel.shown()["dimmed"] == nlohmann::json{"Compute", "Exposed memory", "Idle"});
    CHECK(panel.shown()["ranks"] == before["ranks"]);
    panel.session.set_filter(*core::parse_filter("dur:>1s"));  // nothing at all
    panel.wait_idle();
    CHECK(panel.shown()["dimmed"].size() == 4);
    CHECK(panel.shown()["ranks"] == before["ranks"]);
    panel.session.set_filter({});
    panel.wait_idle();
    CHECK(panel.shown()["dimmed"].empty());
}

TEST_CASE("classes that run together are a mean of the ranks that count") {
    const core::RunPtr run = three_ranks();
    PanelDriver panel("breakdown", run);
    const double of_all = panel.shown()["classes"]["communication"]["time_ns"];
    double sum = 0;
    for (const char* rank : {"rank:0", "rank:1", "rank:2"}) {
        panel.session.set_filter(*core::parse_filter(rank));
        panel.wait_idle();
        sum += panel.shown()["classes"]["communication"]["time_ns"].get<double>();
    }
    CHECK(of_all == doctest::Approx(sum / 3));
    panel.session.set_filter({});
    panel.change_view([&](ui::View& view) { view.area = run->window(); });
    panel.wait_idle();
    CHECK(panel.shown()["classes"]["communication"]["time_ns"].get<double>() == doctest::Approx(of_all));
}

TEST_CASE("the list is the mean of the ranks or the slowest rank, by a switch that says so") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank)
        traces.push_back(
            TraceFixture().kernel(0, 100, "gemm").kernel(900 + 100 * rank, 100, "gemm").rank(rank).build());
    PanelDriver panel("breakdown", run_of(traces));
    CHECK(panel.shown()["list_of"] == "mean");
    CHECK(panel.shown()["classes"]["idle"]["time_ns"] == 900);  // 800, 900 and 1000
    REQUIRE(panel.find("Slowest rank"));
    panel.click("Slowest rank");
    CHECK(panel.shown()["list_of"] == "slowest");
    CHECK(panel.shown()["slowest"]["baseline"] == "2");
    CHECK(panel.shown()["classes"]["idle"]["time_ns"] == 1'000);
    CHECK(panel.shown()["ranks"].size() == 3);  // bars stay
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
    panel.store.undo(panel.session);
    CHECK(core::format_filter(panel.session.filter()) == "class:compute,communication");
}

TEST_CASE("a run without a GPU has ranks without parts") {
    const PanelDriver panel("breakdown", run_of({TraceFixture().cpu(0, 10, "aten::mm").build()}));
    CHECK(panel.shown()["ranks"]["0"].contains("window_ns") == false);
    CHECK(panel.shown()["fresh"] == true);
}
