#include "core/analysis/whatif/change.hpp"
#include "core/analysis/whatif/run_window.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/whatif/planned_run.hpp"
#include "tests/corpus.hpp"

using namespace core;
using namespace core::testing;

namespace {

// The cell of the row with this change.
std::optional<std::int64_t> told(const Answer& answer, std::string_view change, std::string_view of = "",
                                 std::string_view column = "step_time") {
    const Table& table = answer.main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string_view what = table.absent(row, 1) ? "" : table.text(row, 1);
        if (table.text(row, 0) == change && (of.empty() || what == of))
            return table.integer(row, table.find_column(column));
    }
    return std::nullopt;
}

// One rank like the others; without one, every rank like all.
Plan like_peers(Plan plan, std::optional<std::size_t> rank) {
    for (std::size_t k = 0; k < plan.transfer.size(); ++k) {
        std::vector<std::int64_t> all;
        for (std::size_t r = 0; r < plan.work.size(); ++r)
            if (rank != r) all.push_back(plan.work[r][k]);
        const std::int64_t middle = take_median(all);
        for (std::size_t r = 0; r < plan.work.size(); ++r)
            if (!rank || *rank == r) plan.work[r][k] = middle;
    }
    return plan;
}

RunGraph graph_of(const Run& run) {
    const Filter everything;
    std::vector<PartWindow> parts;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const Result<RankView> view = build_rank_view(run, slot, everything, {});
        REQUIRE(view);
        if (const auto window = find_path_window(*view)) parts.push_back({slot, *window});
    }
    Result<RunGraph> graph = build_run_graph(run, *waits_of(run), parts, {}, {});
    REQUIRE(graph);
    return *std::move(graph);
}

// Replaying a recorded run reaches every node at its recorded time; only moved events take longer than nothing.
void check_replay(const Run& run, const RunGraph& graph) {
    const Result<NodeTimes> times = replay_times(graph.graph, recorded_weights(graph), {});
    REQUIRE(times);
    CHECK(*times == graph.graph.time);
    std::uint64_t moved = 0;
    for (std::size_t p = 0; p < graph.parts.size(); ++p) {
        const RankSlot& rank = run.rank(graph.parts[p].slot);
        const std::uint32_t last = p + 1 < graph.parts.size() ? graph.parts[p + 1].first_node : graph.first_join;
        for (std::uint32_t node = graph.parts[p].first_node; node < last; ++node) {
            const RunNode& of = graph.nodes[node];
            if (of.event == kNoEvent || of.of != NodeOf::Stream) continue;
            const RankRange range = rank.trace().range(of.event);
            const RankTime own = std::clamp(of.is_end ? range.end : range.begin, graph.parts[p].window.range.begin,
                                            graph.parts[p].window.range.end);
            const std::int64_t recorded = (rank.to_run(own) - graph.range.begin).count();
            CHECK(graph.graph.time[node] >= recorded);
            moved += graph.graph.time[node] > recorded ? 1 : 0;
        }
    }
    CHECK(moved <= graph.moved.count);
}

}  // namespace

TEST_CASE("planned runs: every what-if of ranks that meet in collectives agrees with a walk through the plan") {
    for (unsigned seed = 0; seed < 120; ++seed) {
        INFO("seed ", seed);
        const Plan plan = random_plan(seed);
        const RunPtr run = run_of_plan(plan);
        const Answer answer = answer_of(*run, "what-if", "", {{"compute", "50"}});
        CHECK(told(answer, "recorded") == walk(plan).end);
        Plan changed = plan;
        for (auto& of_rank : changed.work)
            for (std::int64_t& work : of_rank) work = rounded_mean(work, 2);
        CHECK(told(answer, "given") == walk(changed).end);
        changed = plan;
        std::ranges::fill(changed.transfer, 0);
        CHECK(told(answer, "free communication") == walk(changed).end);
        CHECK(told(answer, "no stragglers") == walk(like_peers(plan, std::nullopt)).end);
        for (std::size_t r = 0; r < plan.work.size(); ++r)
            CHECK(told(answer, "rank typical", std::to_string(r)) == walk(like_peers(plan, r)).end);
        changed = plan;
        changed.begin = 0;
        CHECK(told(answer, "no launch gaps") == walk(changed).end);
    }
}

TEST_CASE("a run replayed with nothing changed gives the recorded times back, to the nanosecond") {
    for (unsigned seed = 0; seed < 120; ++seed) {
        INFO("seed ", seed);
        const RunPtr run = run_of_plan(random_plan(seed));
        const RunGraph graph = graph_of(*run);
        CHECK(graph.moved.count == 0);
        check_replay(*run, graph);
    }
}

TEST_CASE("clocks that are a little off move events behind what they waited for, and say how far") {
    Plan plan;
    plan.work = {{10'000, 10'000}, {30'000, 12'000}};
    plan.transfer = {1'000, 1'000};
    const RunPtr run = run_of_plan(plan, {0, 1'500});  // the last to arrive is seen later than it was
    const RunGraph graph = graph_of(*run);
    CHECK(graph.joins.joined == 2);
    CHECK(graph.moved.count > 0);
    CHECK(graph.moved.most <= 1'500);
    check_replay(*run, graph);
}

TEST_CASE("shared runs: replayed with nothing changed they give the recorded times back") {
    if (!corpus_is_here()) return;
    for (const char* const name :
         {"torchrec/a2a_optimizer_4rank", "torchrec/resnet18_2rank", "torchrec/sleep_pl_dense"}) {
        INFO(name);
        LoadProgress progress;
        const std::vector<std::filesystem::path> paths = {corpus_folder() / name};
        const Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, {});
        REQUIRE(run);
        const RunPtr aligned = with_clocks(*run, ClockChoice::Auto);
        check_replay(*aligned, graph_of(*aligned));
    }
}

TEST_CASE("runs of many events are replayed some whole steps at a time, each as recorded") {
    if (!corpus_is_here()) return;
    LoadProgress progress;
    const std::vector<std::filesystem::path> paths = {corpus_folder() / "torchrec/a2a_optimizer_4rank"};
    const Result<RunPtr> loaded = load_run(paths, LoadOptions{}, progress, {});
    REQUIRE(loaded);
    const RunPtr run = with_clocks(*loaded, ClockChoice::Auto);
    const Filter everything;
    std::vector<PartWindow> parts;
    for (std::uint32_t slot = 0; slot < run->ranks().size(); ++slot) {
        const Result<RankView> view = build_rank_view(*run, slot, everything, {});
        REQUIRE(view);
        const auto window = find_path_window(*view, WithoutStepTerm::AllSteps);
        REQUIRE(window);
        parts.push_back({slot, *window});
    }
    CHECK(split_by_steps(*run, parts).size() == 1);
    const auto split = split_by_steps(*run, parts, 1);
    REQUIRE(split.size() == 3);
    for (const std::vector<PartWindow>& some : split) {
        REQUIRE(some.size() == 4);
        for (const PartWindow& part : some) CHECK(part.window.steps.size() == 1);
        const Result<RunGraph> graph = build_run_graph(*run, *waits_of(*run), some, {}, {});
        REQUIRE(graph);
        CHECK(graph->length() > 1'000'000'000);
        check_replay(*run, *graph);
    }
}

TEST_CASE("the rank that sleeps costs about a second a step, a balanced run nothing") {
    if (!corpus_is_here()) return;
    const auto open = [](const char* name) {
        LoadProgress progress;
        const std::vector<std::filesystem::path> paths = {corpus_folder() / name};
        const Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, {});
        REQUIRE(run);
        return with_clocks(*run, ClockChoice::Auto);
    };
    for (const char* const name : {"torchrec/a2a_optimizer_4rank", "torchrec/sleep_pl_dense"}) {
        INFO(name);
        const Answer answer = answer_of(*open(name), "what-if");
        const auto gain = told(answer, "rank typical", "2", "gain");
        REQUIRE(gain);
        CHECK(*gain > 900'000'000);
        CHECK(*gain < 1'050'000'000);
        for (const char* const other : {"0", "1", "3"}) CHECK(told(answer, "rank typical", other, "gain") < 20'000'000);
    }
    const Answer balanced = answer_of(*open("torchrec/a2a_optimizer_3"), "what-if");
    const auto recorded = told(balanced, "recorded");
    REQUIRE(recorded);
    CHECK(told(balanced, "no stragglers", "", "gain") < *recorded / 50);
    for (const char* const rank : {"0", "1", "2", "3"})
        CHECK(told(balanced, "rank typical", rank, "gain") < *recorded / 50);
}

TEST_CASE("a rank that is not there cannot be typical, and one rank has no peers") {
    const RunPtr run = run_of_plan(random_plan(1));
    const Analysis* const analysis = find_analysis("what-if");
    REQUIRE(analysis);
    const std::vector<std::pair<std::string, std::string>> given = {{"typical", "99"}};
    const Result<Params> params = make_params(*analysis, given);
    REQUIRE(params);
    const Result<Answer> answer = run_analysis(*analysis, *run, {}, *params, 1, {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message.find("rank 99") != std::string::npos);
    const Answer alone = answer_of(*run, "what-if", "rank:0");
    CHECK(told(alone, "recorded"));
    CHECK_FALSE(told(alone, "no stragglers"));
}
