#include "ui/model/panels/communication/pipeline_model.hpp"

#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;
using ui::PipelineModel;

namespace {

RunPtr two_stages() {
    const TempFolder folder;
    SampleOptions options;
    options.ranks = 4;
    options.stages = 2;
    options.steps = 3;
    options.layers = 4;
    REQUIRE(write_sample_run(folder.path(), options, {}));
    LoadProgress progress;
    const std::filesystem::path paths[] = {folder.path()};
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    return *run;
}

}  // namespace

TEST_CASE("a step has a lane per rank, by stage, and the later stage begins later") {
    const RunPtr run = two_stages();
    const PipelineModel model = PipelineModel::of(*run, answer_of(*run, "pipeline"));
    REQUIRE(model.steps.size() == 3);
    for (const ui::PipelineStep& step : model.steps) {
        REQUIRE(step.lanes.size() == 4);
        CHECK(step.lanes.front().stage == 0);
        CHECK(step.lanes.back().stage == 1);
        CHECK(step.mean_bubble().value_or(0) > 0.3);
        double first = 1e18;
        for (const ui::PipelineLane& lane : step.lanes) {
            REQUIRE_FALSE(lane.work.empty());
            CHECK_FALSE(lane.receives.empty());
            CHECK(lane.work.back().kind == ui::StretchKind::After);  // the optimizer
            for (const ui::PipelineStretch& one : lane.work) {
                CHECK(one.begin >= 0);
                CHECK(one.begin + one.duration <= step.length);
                first = std::min(first, one.begin);
            }
        }
        CHECK(step.lanes.front().work.front().begin < step.lanes.back().work.front().begin);
        CHECK(step.lanes.front().receives.front().event.valid());
    }
}

TEST_CASE("a run without a pipeline has no steps to show") {
    const PipelineModel model =
        PipelineModel::of(*run_of({TraceFixture().step(0, 100, 1).kernel(5, 10, "gemm").build()}),
                          answer_of(*run_of({TraceFixture().kernel(5, 10, "gemm").build()}), "pipeline"));
    CHECK(model.steps.empty());
}
