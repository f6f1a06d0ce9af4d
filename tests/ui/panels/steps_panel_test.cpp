// The heat map of steps: its numbers, and clicks on its cells.

#include "core/query/filter_text.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"
#include "ui/model/panels/steps_model.hpp"

#include <cmath>
#include <limits>

namespace {

using core::testing::answer_of;
using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

core::RunPtr ranks(int count, int steps) {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < count; ++rank) {
        TraceFixture fixture;
        for (int step = 0; step < steps; ++step) {
            if (rank == 2 && step == 0) continue;
            fixture.step(5'000 * step, 1'000 + 100 * rank + step, step).kernel(5'000 * step + 10, 800, "gemm");
        }
        traces.push_back(fixture.rank(rank).build());
    }
    return run_of(traces);
}

}  // namespace

TEST_CASE("the grid of steps has every row of the answer, and empty cells elsewhere") {
    const core::RunPtr run = ranks(3, 4);
    const core::Answer answer = answer_of(*run, "steps");
    const core::Table& table = answer.main();
    for (std::size_t measure = 0; measure < ui::kStepMeasures.size(); ++measure) {
        const ui::StepsModel model = ui::StepsModel::of(*run, table, {}, {measure, false, {}});
        REQUIRE(model.ranks.size() == 3);
        REQUIRE(model.steps.size() == 4);
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const auto rank = static_cast<std::size_t>(core::RankKey::unpacked(table.integer(row, 0)).number);
            const auto step = static_cast<std::size_t>(table.integer(row, 1));
            double sum = 0;
            for (const std::string_view column : ui::kStepMeasures[measure].columns)
                if (!column.empty())
                    sum += table.absent(row, table.find_column(column)) ? kNone
                                                                        : table.number(row, table.find_column(column));
            const double value = model.values.baseline[model.at(rank, step)];
            CHECK(std::isnan(value) == std::isnan(sum));
            if (!std::isnan(sum)) CHECK(value == sum);
        }
        CHECK(std::isnan(model.values.baseline[model.at(2, 0)]));
        CHECK(model.ranges.baseline[model.at(2, 0)].empty());
    }
}

TEST_CASE("differences from the median rank have both signs, and unknown values stay unknown") {
    const core::RunPtr run = ranks(3, 4);
    const ui::StepsModel model = ui::StepsModel::of(*run, answer_of(*run, "steps").main(), {}, {0, true, {}});
    CHECK(model.values.baseline[model.at(0, 1)] == -100);
    CHECK(model.values.baseline[model.at(1, 1)] == 0);
    CHECK(model.values.baseline[model.at(2, 1)] == 100);
    CHECK(model.values.baseline[model.at(0, 0)] == -50);
    CHECK(std::isnan(model.values.baseline[model.at(2, 0)]));
    CHECK(model.scale.both_signs);
}

TEST_CASE("cells outside the filter are faded, not hidden") {
    const core::RunPtr run = ranks(3, 4);
    const core::Filter filter = *core::parse_filter("rank:1-2 step:complete");
    const ui::StepsModel model = ui::StepsModel::of(*run, answer_of(*run, "steps").main(), filter, {});
    CHECK(model.faded[model.at(0, 1)] == 1);
    CHECK(model.faded[model.at(1, 1)] == 0);
    CHECK(model.faded[model.at(1, 3)] == 1);
}

TEST_CASE("a click on a cell filters by its rank and step, a second one removes the filter") {
    PanelDriver panel("steps", ranks(3, 4));
    const nlohmann::json shown = panel.shown();
    CHECK(shown["fresh"] == true);
    CHECK(shown["cells"]["1"]["2"]["value_ns"] == 1'102);
    CHECK(shown["cells"]["1"]["2"]["in_filter"] == true);
    panel.click("cell:1,2");
    CHECK(core::format_filter(panel.session.filter()) == "rank:1 step:2");
    CHECK(panel.last<ui::ShowRange>()->range.length() == core::Duration{1'102});
    CHECK(panel.shown()["cells"]["1"]["2"]["in_filter"] == true);
    CHECK(panel.shown()["cells"]["0"]["2"]["in_filter"] == false);
    CHECK(panel.shown()["cells"].size() == 3);
    panel.click("cell:1,2");
    CHECK(panel.session.filter().empty());
    panel.click("cell:1,2");
    panel.click("cell:0,3");
    CHECK(core::format_filter(panel.session.filter()) == "rank:0 step:3");
}

TEST_CASE("a double click on a cell filters and shows the step") {
    PanelDriver panel("steps", ranks(3, 4));
    panel.double_click("cell:2,1");
    CHECK(core::format_filter(panel.session.filter()) == "rank:2 step:1");
    REQUIRE(panel.last<ui::ShowRange>());
    CHECK(panel.last<ui::ShowRange>()->range.length() == core::Duration{1'201});
}

TEST_CASE("without steps the panel says so") {
    const PanelDriver panel("steps", run_of({TraceFixture().cpu(0, 10, "aten::mm").build()}));
    CHECK(panel.shown()["ranks"].empty());
}

TEST_CASE("steps without a GPU have their durations") {
    const PanelDriver panel("steps", run_of({TraceFixture().step(0, 100, 7).cpu(0, 10, "aten::mm").build()}));
    CHECK(panel.shown()["cells"]["0"]["7"]["value_ns"] == 100);
}

TEST_CASE("a drag over cells filters once by all their ranks and steps, and shows them") {
    PanelDriver panel("steps", ranks(4, 5));
    panel.drag("cell:1,1", "cell:3,3");
    CHECK(core::format_filter(panel.session.filter()) == "rank:1-3 step:1-3");
    REQUIRE(panel.last<ui::ShowRange>());
    CHECK(panel.last<ui::ShowRange>()->range.length() == core::Duration{10'000 + 1'303});
    const nlohmann::json shown = panel.shown();
    CHECK(shown["cells"]["2"]["2"]["in_filter"] == true);
    CHECK(shown["cells"]["0"]["2"]["in_filter"] == false);
    CHECK(shown["cells"]["2"]["4"]["in_filter"] == false);
    panel.drag("cell:0,4", "cell:1,3");
    CHECK(core::format_filter(panel.session.filter()) == "rank:0-1 step:3-4");
}

TEST_CASE("a drag that ends outside the map selects cells up to its edge; one inside a cell is a click") {
    PanelDriver panel("steps", ranks(3, 4));
    panel.drag("cell:1,2", ImVec2{5'000, 5'000});
    CHECK(core::format_filter(panel.session.filter()) == "rank:1-2 step:2-3");
    panel.drag("cell:1,2", "cell:1,2");
    CHECK(core::format_filter(panel.session.filter()) == "rank:1 step:2");
}

TEST_CASE("the time of one kernel in every step of every rank") {
    TraceFixture fixture;
    for (int step = 0; step < 3; ++step) {
        fixture.step(5'000 * step, 4'000, step).kernel(5'000 * step + 10, 800, "gemm");
        if (step != 1) fixture.kernel(5'000 * step + 1'000, 100 + step, "gemm_small", 8);
    }
    PanelDriver panel("steps", run_of({fixture.build()}), {900, 700});
    panel.click("measure");
    REQUIRE(panel.find("kernel:gemm_small"));
    CHECK_FALSE(panel.find("kernel:relu"));
    panel.click("kernel:gemm");
    nlohmann::json shown = panel.shown();
    CHECK(shown["kernel"] == "gemm");
    CHECK(shown["measure"] == "busy");
    CHECK(shown["cells"]["0"]["2"]["value_ns"] == 800);  // without gemm_small, whose name contains it
    panel.click("measure");
    panel.click("kernel:gemm_small");
    shown = panel.shown();
    CHECK(shown["cells"]["0"]["1"]["value_ns"] == 0);
    CHECK(shown["cells"]["0"]["2"]["value_ns"] == 102);
    panel.click("measure");
    panel.click("Idle");
    shown = panel.shown();
    CHECK_FALSE(shown.contains("kernel"));
    CHECK(shown["cells"]["0"]["1"]["value_ns"] == 3'200);
}
