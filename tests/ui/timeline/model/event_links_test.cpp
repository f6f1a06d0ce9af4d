#include "ui/timeline/model/event_links.hpp"

#include "tests/core/trace_fixture.hpp"
#include "tests/ui/timeline/parts/timeline_bench.hpp"

#include <doctest/doctest.h>

using core::testing::find_named;
using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::Bench;

namespace {

core::RunPtr launched_kernels() {
    return run_of({TraceFixture()
                       .launch(0, 100, 1)
                       .launch(200, 100, 2)
                       .kernel(500, 200, "first", 7, 1)
                       .kernel(800, 200, "second", 7, 2)
                       .build()});
}

core::EventRef named(const core::RunPtr& run, std::string_view name) {
    return {0, find_named(run->rank(0).trace(), name)};
}

}  // namespace

TEST_CASE("links lead from a launch to its kernel and back, neighbours along the lane") {
    const core::RunPtr run = launched_kernels();
    const core::EventRef second = named(run, "second");
    const core::EventRef launch = ui::find_linked(*run, second, ui::Along::Back);
    REQUIRE(launch.valid());
    CHECK(core::ns_of(run->rank(0).trace().start[core::index_of(launch.event)]) == 200);
    CHECK(ui::find_linked(*run, launch, ui::Along::Forward) == second);
    CHECK_FALSE(ui::find_linked(*run, second, ui::Along::Forward).valid());
    CHECK(ui::find_neighbour(*run, second, ui::Along::Back) == named(run, "first"));
    CHECK_FALSE(ui::find_neighbour(*run, second, ui::Along::Forward).valid());
}

TEST_CASE("brackets follow the link, comma and point walk the lane, R makes the event the area") {
    const core::RunPtr run = launched_kernels();
    Bench bench(run);
    bench.change_view([&](ui::View& view) { view.selected = named(run, "second"); });
    bench.press(GLFW_KEY_LEFT_BRACKET);
    bench.frames(2);
    CHECK(bench.described()["selected"]["start_ns"] == 200);
    bench.press(GLFW_KEY_RIGHT_BRACKET);
    bench.frames(2);
    CHECK(bench.described()["selected"]["name"] == "second");
    bench.press(GLFW_KEY_COMMA);
    bench.frames(2);
    CHECK(bench.described()["selected"]["name"] == "first");
    bench.press(GLFW_KEY_PERIOD);
    bench.frames(2);
    CHECK(bench.described()["selected"]["name"] == "second");
    bench.press(GLFW_KEY_R);
    CHECK(bench.view().area == core::RunRange{core::run_time(800), core::run_time(1000)});
}

TEST_CASE("an arrow leads from the selected kernel's launch to it, and to the edge when the launch is out of view") {
    const core::RunPtr run = launched_kernels();
    Bench bench(run);
    const core::EventRef second = named(run, "second");
    CHECK(bench.described()["arrows"] == 0);
    bench.change_view([&](ui::View& view) { view.selected = second; });
    bench.frames(2);
    CHECK(bench.described()["arrows"] == 1);
    const auto bright_left_of_kernel = [&] {
        const ui::Box box = bench.timeline().place_of(second).value();
        return (bench.pixel(static_cast<int>(box.min.x) - 4, static_cast<int>((box.min.y + box.max.y) / 2)) & 255) >
               150;
    };
    CHECK(bright_left_of_kernel());
    bench.change_view([&](ui::View& view) { view.time.fit({core::run_time(700), core::run_time(1100)}, 0); });
    bench.frames(2);
    CHECK(bench.described()["arrows"] == 1);
    CHECK(bright_left_of_kernel());
    bench.change_view([&](ui::View& view) { view.selected = {}; });
    bench.frames(2);
    CHECK_FALSE(bright_left_of_kernel());
}

TEST_CASE(
    "the same collective on other ranks is pointed to, also where its row is out of view, and ] goes round them") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank)
        traces.push_back(TraceFixture()
                             .rank(rank)
                             .kernel(500 + 10 * rank, 200, "ncclDevKernel_AllReduce", 9)
                             .arg(core::Arg::GroupName, "dp")
                             .arg(core::Arg::Seq, 3)
                             .build());
    Bench bench(run_of(traces));
    bench.change_view([&](ui::View& view) { view.selected = {0, core::EventId{0}}; });
    bench.settle();
    CHECK(bench.described()["arrows"] == 2);
    for (const std::uint32_t slot : {1u, 2u, 0u}) {
        bench.press(GLFW_KEY_RIGHT_BRACKET);
        bench.settle();
        CHECK(bench.view().selected.slot == slot);
    }
}

TEST_CASE("at most so many arrows are drawn, and the edge names the ranks of all") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 80; ++rank)
        traces.push_back(TraceFixture()
                             .rank(rank)
                             .kernel(500 + rank, 200, "ncclDevKernel_AllReduce", 9)
                             .arg(core::Arg::GroupName, "dp")
                             .arg(core::Arg::Seq, 3)
                             .build());
    Bench bench(run_of(traces));
    bench.change_view([&](ui::View& view) { view.selected = {0, core::EventId{0}}; });
    bench.settle();
    CHECK(bench.described()["arrows"] == 64);
    std::string label;
    for (const ui::Item& item : ui::items().items())
        if (item.path.find("arrows:") != std::string::npos) label = item.path;
    CHECK(label.find("79") != std::string::npos);
}

TEST_CASE("a selected kernel is joined to the callers of its launch, a call to the kernels in it") {
    const core::RunPtr run = run_of({TraceFixture()
                                         .event(0, 900, "module.py: forward", "python_function", {})
                                         .cpu(50, 300, "aten::linear")
                                         .launch(60, 10, 1)
                                         .launch(100, 10, 2)
                                         .kernel(400, 50, "gemm", 7, 1)
                                         .kernel(500, 50, "relu", 7, 2)
                                         .build()});
    Bench bench(run);
    bench.change_view([&](ui::View& view) { view.selected = named(run, "gemm"); });
    bench.settle();
    CHECK(bench.described()["arrows"] == 1);
    CHECK(bench.described()["call_arrows"] == 2);
    bench.change_view([&](ui::View& view) { view.selected = named(run, "aten::linear"); });
    bench.settle();
    CHECK(bench.described()["arrows"] == 0);
    CHECK(bench.described()["call_arrows"] == 2);
}
