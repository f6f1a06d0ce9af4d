#include "core/analysis/whatif/kernel_schedule.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/whatif/kernel_pipeline.hpp"

using namespace core;
using namespace core::testing;

namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

std::size_t row_of(const Table& table, std::string_view change, std::string_view of = "") {
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.text(row, 0) == change && table.text(row, 1) == of) return row;
    FAIL("no row of this change");
    return 0;
}

const Words kOverStages = {{"over", "stages"}};

}  // namespace

TEST_CASE("kernels of a pipeline: passes are found, and their replay is the recorded step") {
    for (const bool launches : {true, false}) {
        KernelPipeline pipeline;
        pipeline.launches = launches;
        pipeline.forward = {100'000, 130'000, 170'000};
        const RunPtr run = pipeline.build();
        const Answer answer = answer_of(*run, "what-if", "", kOverStages);
        const Table& table = answer.main();
        CHECK(table.integer(row_of(table, "recorded"), 2) == pipeline.walk().end - KernelPipeline::kBegin);
        const Table& stages = answer.tables[1].table;
        REQUIRE(answer.tables[1].name == "stages");
        REQUIRE(stages.rows() == 3);
        for (std::size_t stage = 0; stage < 3; ++stage) {
            CHECK(stages.integer(stage, 1) == 5 * 3 * pipeline.forward[stage]);
            CHECK(stages.integer(stage, 4) == 5);
        }
    }
}

TEST_CASE("a slow rank of a pipeline slows the step by what a walk of the schedule takes") {
    for (const auto& [stages, microbatches] : {std::pair(2, 4), std::pair(3, 5), std::pair(4, 8), std::pair(4, 2)}) {
        KernelPipeline slow;
        slow.stages = stages;
        slow.microbatches = microbatches;
        slow.forward.assign(static_cast<std::size_t>(stages), 100'000);
        slow.replicas = 3;
        slow.steps = 2;
        KernelPipeline healthy = slow;
        slow.slow_replica = 1;
        slow.slow_stage = stages - 1;
        const RunPtr run = slow.build();
        const Answer answer = answer_of(*run, "what-if", "", Words{{"over", "steps"}});  // no stages: the graph
        CHECK(answer.main().number(row_of(answer.main(), "recorded"), 5) < 1.01);
        const Table table = answer_of(*run, "what-if", "", {{"over", "stages"}, {"stragglers", "none"}}).main();
        CHECK(table.integer(row_of(table, "recorded"), 2) == slow.walk().end - KernelPipeline::kBegin);
        const std::int64_t gain =
            table.integer(row_of(table, "rank typical", std::to_string(slow.rank_of(1, stages - 1))), 3);
        CHECK(gain > 0);
        CHECK(gain <= slow.walk().end - healthy.walk().end);
        const std::int64_t innocent = table.integer(row_of(table, "rank typical", "0"), 3);
        CHECK(innocent <= 0);
    }
}

TEST_CASE("a stage that computes longer: balanced, the step is that of equal stages") {
    KernelPipeline uneven;
    uneven.forward = {100'000, 100'000, 160'000};
    KernelPipeline even;
    even.forward = {120'000, 120'000, 120'000};
    const Table table = answer_of(*uneven.build(), "what-if", "", kOverStages).main();
    CHECK(table.integer(row_of(table, "stages balanced"), 2) == even.walk().end - KernelPipeline::kBegin);
}

TEST_CASE("forwards and backwards of the same kernels are told apart by their number") {
    KernelPipeline pipeline;
    pipeline.forward_names = {"gemm"};
    pipeline.backward_names = {"gemm", "gemm"};
    const RunPtr run = pipeline.build();
    const Table table = answer_of(*run, "what-if", "", kOverStages).main();
    CHECK(table.integer(row_of(table, "recorded"), 2) == pipeline.walk().end - KernelPipeline::kBegin);
}

TEST_CASE("ranks that are no pipeline are compared within their stage, and that is said") {
    KernelPipeline pipeline;
    pipeline.forward_names = {"norm", "gemm"};
    pipeline.stages = 1;
    pipeline.forward = {100'000};
    const Answer answer = answer_of(*pipeline.build(), "what-if", "", kOverStages);
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].what ==
          "ranks that are compared with those of their own stage only: they are not pipelines of one length whose "
          "messages are known");
    CHECK(answer.excluded[0].count == 2);
    CHECK(answer.tables[1].name == "graph");
}
