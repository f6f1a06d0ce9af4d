#include "core/analysis/whatif/live_what_if.hpp"

#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

RunPtr open_timeline(const char* name) {
    LoadProgress progress;
    const std::vector<std::filesystem::path> paths = {corpus_folder() / name};
    const Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, {});
    REQUIRE(run);
    return *run;
}

double told_slowdown(const Answer& answer, std::string_view change, std::string_view of) {
    const Table& table = answer.main();
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.text(row, 0) == change && table.text(row, 1) == of)
            return table.number(row, table.find_column("slowdown"));
    FAIL("no row " << change << " " << of);
    return 0;
}

// Two stages of which the second computes twice as long; microbatches go through both.
std::vector<RankTracePtr> traces_of_stages(std::int64_t microbatches) {
    std::vector<TraceFixture> fixtures(2);
    std::vector<std::int64_t> free(2, 0), left(static_cast<std::size_t>(microbatches), 0);
    for (std::int64_t m = 0; m < microbatches; ++m) {
        for (std::size_t stage = 0; stage < 2; ++stage) {
            const std::int64_t length = stage == 0 ? 1'000 : 2'000;
            std::int64_t& ready = left[static_cast<std::size_t>(m)];
            const std::int64_t begin = std::max(free[stage], ready);
            fixtures[stage].event(begin, length, "forward", "", {std::to_string(stage), "0"});
            free[stage] = ready = begin + length;
        }
    }
    return {fixtures[0].rank(0).build(), fixtures[1].rank(1).build()};
}

RunPtr two_stages(std::int64_t microbatches) { return run_of(traces_of_stages(microbatches)); }

}  // namespace

TEST_CASE("published slowdowns of a real job's timeline are reproduced") {
    if (!corpus_is_here()) return;
    std::ifstream file(corpus_folder() / "StragglerAnalysis/ST/result-ST.json");
    const nlohmann::json published = nlohmann::json::parse(file);
    const RunPtr run = open_timeline("StragglerAnalysis/ST/timeline-ST.json.gz");
    const Answer answer = answer_of(*run, "what-if", "", {{"over", "stages,steps"}});
    constexpr double kWithin = 1e-3;
    CHECK(std::abs(told_slowdown(answer, "recorded", "") - published["blocking_slowdown"].get<double>()) < kWithin);
    for (const auto& [dp, slowdown] : published["blocking_decompose_by_dp_rank"].items())
        CHECK(std::abs(told_slowdown(answer, "replica typical", dp) - slowdown.get<double>()) < kWithin);
    for (const auto& [stage, slowdown] : published["blocking_decompose_by_stage"].items())
        CHECK(std::abs(told_slowdown(answer, "stage typical", stage) - slowdown.get<double>()) < kWithin);
    for (const auto& [operation, slowdown] : published["blocking_decompose_by_optype"].items()) {
        INFO(operation);
        CHECK(std::abs(told_slowdown(answer, "operation typical", operation) - slowdown.get<double>()) < kWithin);
    }
    double base = 0;
    for (const auto& [step, time] : published["step_t_nodelay"].items()) base += time.get<double>();
    base /= static_cast<double>(published["step_t_nodelay"].size());
    const Table& table = answer.main();
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.text(row, 0) == "no launch gaps")
            CHECK(std::abs(static_cast<double>(table.integer(row, 2)) / 1e9 - base) < 1e-3);
}

TEST_CASE("a pipeline's bubble: theory, and the stage that makes it larger") {
    if (!corpus_is_here()) return;
    const RunPtr run =
        open_timeline("MegatronApp/megascan_pp4_iter10/data-1-pipeline-4-tensor-1-pp-aggregated-iter10.json");
    const Answer answer = answer_of(*run, "what-if");
    const Table* const stages = answer.find("stages");
    REQUIRE(stages);
    REQUIRE(stages->rows() == 4);
    for (std::size_t row = 0; row < 4; ++row) {
        CHECK(stages->integer(row, stages->find_column("microbatches")) == 32);
        CHECK(stages->number(row, stages->find_column("theory")) == doctest::Approx(3.0 / 35));
        const double bubble = stages->number(row, stages->find_column("bubble"));
        CHECK((row < 3 ? std::abs(bubble - 0.51) < 0.02 : std::abs(bubble - 0.206) < 0.01));
        // Between a stage's own first and last compute: half of it on the first three, 15 % on the last.
        constexpr double kOwn[] = {0.503, 0.513, 0.496, 0.153};
        CHECK(std::abs(stages->number(row, stages->find_column("own_bubble")) - kOwn[row]) < 0.001);
    }
    CHECK(stages->number(3, stages->find_column("imbalance")) > 0.3);
    std::int64_t recorded = 0, balanced = 0;
    const Table& table = answer.main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, 0) == "recorded") recorded = table.integer(row, 2);
        if (table.text(row, 0) == "stages balanced") balanced = table.integer(row, 2);
    }
    CHECK(recorded > 670'000'000);
    CHECK(balanced < 0.65 * static_cast<double>(recorded));  // 35 of 32 microbatches at the mean of the stages
    CHECK(balanced > 0.55 * static_cast<double>(recorded));
}

TEST_CASE("a timeline with two jobs has no bubble, as its stages compute two things at once, and is not replayed") {
    if (!corpus_is_here()) return;
    const RunPtr run = open_timeline("MegatronApp/megascan_pp4_iter10/merged_trace.json");
    const Answer answer = answer_of(*run, "what-if");
    CHECK(answer.main().rows() == 0);
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].count == 4);
    const Table* const stages = answer.find("stages");
    REQUIRE(stages);
    for (std::size_t row = 0; row < stages->rows(); ++row) {
        CHECK(stages->absent(row, stages->find_column("bubble")));
        CHECK(stages->absent(row, stages->find_column("own_bubble")));
    }
    const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, make_params(*find_analysis("what-if"), {}).value(), {});
    REQUIRE(live);
    CHECK_FALSE(live->has_schedule());
    CHECK(live->why_not().starts_with("Stages compute two things at once"));
}

TEST_CASE("of two captures of a schedule the first is replayed") {
    const RunPtr one = two_stages(8);
    std::vector<RankTracePtr> traces = traces_of_stages(8);
    const std::vector<RankTracePtr> again = traces_of_stages(8);
    traces.insert(traces.end(), again.begin(), again.end());
    RunParts parts = run_of(traces)->parts();
    std::set<std::int32_t> seen;
    for (RankSlot& rank : parts.ranks) rank.key.capture = seen.insert(rank.key.number).second ? 0 : 1;
    const auto both = std::make_shared<const Run>(std::move(parts));
    REQUIRE(both->ranks().size() == 4);
    CHECK(std::ranges::count_if(both->ranks(), [](const RankSlot& rank) { return rank.key.capture == 1; }) == 2);
    const Answer alone = answer_of(*one, "what-if"), together = answer_of(*both, "what-if");
    REQUIRE(alone.main().rows() > 0);
    REQUIRE(together.main().rows() == alone.main().rows());
    CHECK(together.main().integer(0, 2) == alone.main().integer(0, 2));
}

TEST_CASE("what a schedule has not is refused by name, not ignored") {
    const RunPtr run = two_stages(8);
    const Analysis& analysis = *find_analysis("what-if");
    for (const auto& [name, value] : {std::pair("buckets", "200"), std::pair("cpu", "50"), std::pair("typical", "1")}) {
        const Result<Params> params =
            make_params(analysis, std::vector<std::pair<std::string, std::string>>{{name, value}});
        REQUIRE(params);
        const Result<Answer> answer = run_analysis(analysis, *run, {}, *params, 1, {});
        REQUIRE_FALSE(answer);
        CHECK(answer.error().message.starts_with(std::string(name) + ": only of a run with kernels"));
    }
}

TEST_CASE("stages of unequal length: balanced, the pipeline takes what its theory says") {
    const RunPtr run = two_stages(8);
    const std::vector<std::uint32_t> slots = {0, 1};
    const Result<Schedule> schedule = read_schedule(*run, slots, {});
    REQUIRE(schedule);
    REQUIRE(schedule->steps.size() == 1);
    CHECK(schedule->stages == 2);
    std::vector<std::int64_t> lengths;
    for (const ScheduleOp& op : schedule->ops) lengths.push_back(op.end - op.begin);
    const Result<std::int64_t> replayed = replay_schedule(*schedule, lengths, true, {});
    REQUIRE(replayed);
    CHECK(*replayed == 17'000);
    const Answer answer = answer_of(*run, "what-if");
    const Table& table = answer.main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, 0) == "recorded") CHECK(table.integer(row, 2) == 17'000);
        if (table.text(row, 0) == "stages balanced") CHECK(table.integer(row, 2) == 13'500);  // 9 × 1500
    }
}

TEST_CASE("the window's replay of a schedule is the row given of what-if, and balanced stages gain the bubble") {
    const RunPtr run = two_stages(8);
    const Analysis& analysis = *find_analysis("what-if");
    using Words = std::vector<std::pair<std::string, std::string>>;
    for (const Words& given : {Words{{"stages", "balanced"}}, Words{{"compute", "50"}, {"launches", "none"}},
                               Words{{"stragglers", "none"}, {"over", "stages,steps"}}}) {
        const Result<Params> params = make_params(analysis, given);
        REQUIRE(params);
        const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, *params, {});
        REQUIRE(live);
        REQUIRE(live->has_schedule());
        CHECK_FALSE(live->has_graph());
        const Result<LiveReplay> replay = live->replay(*run, *params, {});
        REQUIRE(replay);
        const Answer answer = answer_of(*run, "what-if", "", given);
        const Table& table = answer.main();
        REQUIRE(table.text(0, 0) == "given");
        CHECK(replay->step_time == table.integer(0, 2));
        CHECK(replay->gain == table.integer(0, 3));
    }
    const Result<Params> balanced = make_params(analysis, Words{{"stages", "balanced"}});
    const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, *balanced, {});
    REQUIRE(live);
    const Result<LiveReplay> replay = live->replay(*run, *balanced, {});
    REQUIRE(replay);
    CHECK(replay->change == "stages balanced");
    CHECK(live->recorded() == 17'000);     // 1,000, then 8 of 2,000 each
    CHECK(replay->step_time == 13'500);    // 9 of 1,500
}

TEST_CASE("runs with kernels, and single ranks, aren't timelines of a schedule") {
    const RunPtr run = two_stages(2);
    const std::vector<std::uint32_t> one = {0};
    const Result<Schedule> alone = read_schedule(*run, one, {});
    REQUIRE(alone);
    CHECK(alone->steps.empty());
    TraceFixture fixture;
    fixture.cpu(0, 10, "forward").launch(1, 1, 1).kernel(3, 5, "gemm", 7, 1);
    const RunPtr with_kernels = run_of({fixture.rank(0).build()});
    const Result<Schedule> other = read_schedule(*with_kernels, one, {});
    REQUIRE(other);
    CHECK(other->steps.empty());
}

TEST_CASE("the numbers of an operation are its own arguments, not those of an object inside") {
    std::vector<RankTracePtr> traces;
    for (const std::string_view rank : {"0", "1"}) {
        const Result<RankTracePtr> trace = load_text(
            R"({"distributedInfo": {"rank": )" + std::string(rank) +
            R"(, "world_size": 2}, "traceEvents": [{"ph": "X", "name": "forward-compute", "pid": 1, "tid": 1, "ts": 1, )"
            R"("dur": 5, "args": {"caller": {"step": 8, "model_chunk": 4}, "step": 3, "microbatch": 2}}]})");
        REQUIRE(trace);
        traces.push_back(*trace);
    }
    const std::vector<std::uint32_t> slots = {0, 1};
    const Result<Schedule> schedule = read_schedule(*run_of(traces), slots, {});
    REQUIRE(schedule);
    REQUIRE(schedule->ops.size() == 2);
    CHECK(schedule->ops.front().step == 3);
    CHECK(schedule->ops.front().sequence == 2);
    CHECK(schedule->ops.front().chunk == 0);
}
