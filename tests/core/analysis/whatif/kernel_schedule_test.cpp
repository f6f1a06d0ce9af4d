#include "core/analysis/whatif/kernel_schedule.hpp"

#include "core/analysis/whatif/live_what_if.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/whatif/kernel_pipeline.hpp"
#include "tests/core/analysis/whatif/pipeline_plan.hpp"

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

namespace {

// Findings of these kinds, by the ranks they name.
std::vector<std::int64_t> ranks_with(const Table& findings, std::string_view kind) {
    std::vector<std::int64_t> ranks;
    for (std::size_t row = 0; row < findings.rows(); ++row)
        if (findings.text(row, 0) == kind) ranks.push_back(findings.integer(row, findings.find_column("rank")) >> 10);
    std::ranges::sort(ranks);
    return ranks;
}

KernelPipeline long_pipeline() {
    KernelPipeline pipeline;
    pipeline.replicas = 4;
    pipeline.microbatches = 8;
    pipeline.steps = 4;
    pipeline.forward.assign(3, 10'000'000);
    return pipeline;
}

}  // namespace

TEST_CASE("findings of a pipeline whose waits are not recorded: nobody, the slow rank, the long stage") {
    const Table healthy = answer_of(*long_pipeline().build(), "findings").main();
    for (const std::string_view kind : {"late-rank", "uneven-work", "stage-imbalance"})
        CHECK(ranks_with(healthy, kind).empty());

    KernelPipeline slow = long_pipeline();
    slow.slow_replica = 2;
    slow.slow_stage = 1;
    const Answer of_slow = answer_of(*slow.build(), "findings");
    CHECK(of_slow.main().text(0, 0) == "late-rank");
    CHECK(ranks_with(of_slow.main(), "late-rank") == std::vector<std::int64_t>{slow.rank_of(2, 1)});
    CHECK(ranks_with(of_slow.main(), "stage-imbalance").empty());
    const std::size_t gain = of_slow.main().find_column("gain");
    const auto true_gain = static_cast<double>(4 * (slow.walk().end - long_pipeline().walk().end));
    CHECK(static_cast<double>(of_slow.main().integer(0, gain)) == doctest::Approx(true_gain).epsilon(0.02));

    KernelPipeline uneven = long_pipeline();
    uneven.forward = {10'000'000, 10'000'000, 16'000'000};
    const Table of_uneven = answer_of(*uneven.build(), "findings").main();
    CHECK(of_uneven.text(0, 0) == "stage-imbalance");
    CHECK(ranks_with(of_uneven, "stage-imbalance") ==
          std::vector<std::int64_t>{uneven.rank_of(0, 2), uneven.rank_of(1, 2), uneven.rank_of(2, 2),
                                    uneven.rank_of(3, 2)});
    CHECK(ranks_with(of_uneven, "late-rank").empty());
}

TEST_CASE("balanced stages of kernels that are seen to wait are a replay of their graph, in the window too") {
    PipelinePlan recorded, even({.first_work = 75'000, .work = 75'000, .slow_work = 75'000, .extra = 0});
    const RunPtr run = recorded.build();
    static_cast<void>(even.build());
    const Words balanced = {{"stages", "balanced"}};
    const Table table = answer_of(*run, "what-if", "", balanced).main();
    REQUIRE(table.text(0, 0) == "given");
    CHECK(table.text(0, 1) == "stages balanced");
    CHECK(table.integer(0, 3) == recorded.length() - even.length());
    const Result<Params> params = make_params(*find_analysis("what-if"), balanced);
    REQUIRE(params);
    const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, *params, {});
    REQUIRE(live);
    CHECK(live->has_graph());
    CHECK(live->has_stages());
    const Result<LiveReplay> replay = live->replay(*run, *params, {});
    REQUIRE(replay);
    CHECK(replay->gain == table.integer(0, 3));
}

TEST_CASE("balanced stages where no wait is seen are a replay of the schedule, in the window too") {
    KernelPipeline uneven;
    uneven.forward = {100'000, 100'000, 160'000};
    const RunPtr run = uneven.build();
    const Words balanced = {{"stages", "balanced"}};
    const Table table = answer_of(*run, "what-if", "", balanced).main();
    REQUIRE(table.text(0, 0) == "given");
    CHECK(table.integer(0, 3) > 0);
    const Result<Params> params = make_params(*find_analysis("what-if"), balanced);
    REQUIRE(params);
    const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, *params, {});
    REQUIRE(live);
    REQUIRE(live->has_schedule());
    const Result<LiveReplay> replay = live->replay(*run, *params, {});
    REQUIRE(replay);
    CHECK(replay->step_time == table.integer(0, 2));
}

TEST_CASE("stages cannot be balanced where ranks are no pipeline, and that is an error") {
    KernelPipeline single;
    single.stages = 1;
    single.forward = {100'000};
    const RunPtr run = single.build();
    const Analysis& analysis = *find_analysis("what-if");
    const Result<Params> params = make_params(analysis, Words{{"stages", "balanced"}});
    REQUIRE(params);
    const Result<Answer> answer = run_analysis(analysis, *run, {}, *params, 1, {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message.starts_with("stages: only of ranks that are pipelines"));
}
