// Contents of the overview, and clicks on its lines.

#include "core/query/filter_text.hpp"
#include "core/store/memory_names.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"
#include "ui/panels/overview_lines.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

// Rank 1 is slow in step 2.
core::RunPtr uneven() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank) {
        TraceFixture fixture;
        for (int step = 0; step < 3; ++step) {
            const std::int64_t duration = rank == 1 ? 1'000 + 500 * step : 1'000;
            fixture.step(5'000 * step, duration, step).kernel(5'000 * step + 10, 800, "gemm");
        }
        traces.push_back(fixture.rank(rank).build());
    }
    return run_of(traces);
}

}  // namespace

TEST_CASE("the overview names the worst rank, and a click filters by it") {
    PanelDriver panel("overview", uneven());
    const nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    CHECK_FALSE(shown.contains("without_gpu"));
    CHECK(shown["ranks"] == 3);
    CHECK(shown["worst_rank"]["rank"] == "1");
    CHECK(shown["worst_rank"]["value"] == doctest::Approx(0.5));
    CHECK(shown["worst_step"]["step"] == 2);
    CHECK(shown["worst_step"]["duration_ns"] == 2'000);
    CHECK(shown["steps"]["median_ns_by_rank"]["1"] == 1'500);
    CHECK(shown["steps"]["longest_ns_by_step"]["1"] == 1'500);
    CHECK(shown["parts"].size() == 4);

    panel.click("worst-rank");
    CHECK(core::format_filter(panel.session.filter()) == "rank:1");
    CHECK(panel.shown()["steps"]["median_ns_by_rank"].size() == 1);
    CHECK_FALSE(panel.find("worst-step"));  // of two steps neither stands out
}

TEST_CASE("a click on a step that stands out filters by it and shows it") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture fixture;
        for (int step = 0; step < 6; ++step)
            fixture.step(5'000 * step, rank == 1 && step == 2 ? 2'000 : 1'000, step)
                .kernel(5'000 * step + 10, 800, "gemm");
        traces.push_back(fixture.rank(rank).build());
    }
    PanelDriver panel("overview", run_of(traces));
    panel.click("worst-step");
    CHECK(core::format_filter(panel.session.filter()) == "step:2");
    const auto* range = panel.last<ui::ShowRange>();
    REQUIRE(range);
    CHECK(range->range.length() == core::Duration{2'000});
}

TEST_CASE("a run without GPU events says what it is, and leads to what tells of it") {
    {
        TraceFixture cpu;
        cpu.cpu(0, 10, "aten::mm");
        PanelDriver panel("overview", run_of({cpu.build()}));
        CHECK(panel.shown()["without_gpu"] == "CPU only");
        CHECK(panel.shown()["gpu_advice"].get<std::string>().find("ProfilerActivity.CUDA") != std::string::npos);
    }
    TraceFixture snapshot;
    snapshot.cpu(0, 10, "alloc").info().trace_name = core::kMemorySnapshotTrace;
    PanelDriver panel("overview", run_of({snapshot.build()}));
    CHECK(panel.shown()["without_gpu"] == "memory snapshots: see memory-peak and memory-snapshot");
    panel.click("without-gpu");
    REQUIRE(panel.last<ui::ShowAnalysis>());
    CHECK(panel.last<ui::ShowAnalysis>()->id == "memory-peak");
}

TEST_CASE("a training log is a series in the overview, and a run without one has none") {
    CHECK_FALSE(PanelDriver("overview", uneven()).shown().contains("training_log"));
    TraceFixture fixture;
    fixture.rank(0).step(0, 1'000, 1).kernel(10, 800, "gemm").info().path = "train.log";
    for (std::int64_t iteration = 1; iteration <= 3; ++iteration)
        fixture.info().training.push_back({.last = iteration, .duration_ns = iteration * 1'000'000});
    PanelDriver panel("overview", run_of({fixture.build()}));
    CHECK(panel.shown()["training_log"]["median_ns"] == 2'000'000);
    CHECK(panel.shown()["training_log"]["words"] == "of 3 lines, 1.00 ms to 3.00 ms; train.log");
}

TEST_CASE("the expected number of ranks is shown unless it is contradicted") {
    ui::RunOverview model;
    model.ranks = {.ranks = 3, .captures = 3, .even = true};
    CHECK(ui::describe_ranks(model) == "3 ranks");
    model.world_size = 8;
    CHECK(ui::describe_ranks(model) == "3 of 8 ranks");
    model.damaged = 1;
    CHECK(ui::describe_ranks(model) == "3 of 8 ranks, 1 damaged");
    model.damaged = 0;
    model.world_size = 2;
    CHECK(ui::describe_ranks(model) == "3 ranks");
    model.ranks = {.ranks = 1, .captures = 1, .even = true};
    model.world_size = 1;
    CHECK(ui::describe_ranks(model) == "1 rank");
    model.ranks = {.ranks = 8, .captures = 8, .even = true};
    model.chosen = core::RankCount{.ranks = 3, .captures = 3, .even = true};
    CHECK(ui::describe_ranks(model) == "3 of 8 ranks chosen");
}

TEST_CASE("a click on a value of a spread selects its rank or step") {
    PanelDriver panel("overview", uneven());
    panel.click("rank:1");
    CHECK(core::format_filter(panel.session.filter()) == "rank:1");
    panel.session.set_filter({});
    panel.wait_idle();
    panel.click("step:1");
    CHECK(core::format_filter(panel.session.filter()) == "step:1");
}

TEST_CASE("the overview maps every step of every rank") {
    PanelDriver panel("overview", uneven(), {420, 900});
    CHECK(panel.shown()["map"]["cells"].size() == 3);
    panel.click("cell:1,2");
    CHECK(core::format_filter(panel.session.filter()) == "rank:1 step:2");
}

TEST_CASE("with little space the overview of two runs maps only the change") {
    PanelDriver panel("overview", uneven(), {420, 900}, uneven());
    CHECK(panel.shown()["map"]["cells"].size() == 3);
    panel.click("change/cell:1,2");
    CHECK(core::format_filter(panel.session.filter()) == "rank:1 step:2");
    CHECK_FALSE(panel.find("baseline/cell:1,2"));
}

TEST_CASE("without steps the overview has no map") {
    const PanelDriver panel("overview", run_of({TraceFixture().cpu(0, 10, "aten::mm").build()}));
    CHECK_FALSE(panel.shown().contains("map"));
}
