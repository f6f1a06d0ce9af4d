#include "core/analysis/whatif/live_what_if.hpp"

#include "core/collectives/choose_clocks.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/whatif/planned_run.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/corpus.hpp"

using namespace core;
using namespace core::testing;

namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

Params params_of(const Given& given) {
    const Result<Params> params = make_params(*find_analysis("what-if"), given);
    REQUIRE(params);
    return *params;
}

// The window's answer equals the row `given` of the analysis, and the path is as long as the replay.
void check_agrees(const RunPtr& run, const Given& given) {
    const Params params = params_of(given);
    const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, params, {});
    REQUIRE(live);
    REQUIRE(live->has_graph());
    const Result<LiveReplay> replay = live->replay(*run, params, {});
    REQUIRE(replay);
    const Answer answer = answer_of(*run, "what-if", "", given);
    const Table& table = answer.main();
    REQUIRE(table.text(0, 0) == "given");
    CHECK(table.text(0, 1) == replay->change);
    CHECK(table.integer(0, table.find_column("step_time")) == replay->step_time);
    CHECK(table.integer(0, table.find_column("gain")) == replay->gain);
    std::int64_t on_path = 0;
    for (const RunStretch& stretch : replay->path.stretches) on_path += stretch.length;
    CHECK(on_path == replay->path.length);
}

}  // namespace

TEST_CASE("planned runs: a window's replay is the row given of what-if, for any combination") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        INFO("seed ", seed);
        const RunPtr run = run_of_plan(random_plan(seed));
        for (const Given& given :
             {Given{{"compute", "50"}}, Given{{"communication", "0"}, {"typical", "1"}},
              Given{{"stragglers", "none"}, {"link", "200"}, {"launches", "none"}}, Given{{"buckets", "400"}}})
            check_agrees(run, given);
    }
}

TEST_CASE("with nothing changed the window shows the recorded step, its path and its waits") {
    const RunPtr run = run_of_plan(random_plan(5));
    const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, params_of({}), {});
    REQUIRE(live);
    const Result<LiveReplay> replay = live->replay(*run, params_of({}), {});
    REQUIRE(replay);
    CHECK(replay->change.empty());
    CHECK(replay->step_time == live->recorded());
    CHECK(replay->gain == 0);
    CHECK(std::ranges::equal(replay->bound_by, live->recorded_bound_by()));
    for (const RankReplay& rank : replay->ranks) {
        CHECK(rank.waits == rank.waits_replayed);
        CHECK(rank.on_path == rank.on_path_replayed);
    }
}

TEST_CASE("no rank waits for one that is like its peers") {
    Plan plan = random_plan(0);
    plan.work.assign(4, std::vector<std::int64_t>(6, 10'000));
    plan.transfer.assign(6, 500);
    plan.work[2].assign(6, 90'000);
    const RunPtr run = run_of_plan(plan);
    const Params params = params_of({{"typical", "2"}});
    const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, params, {});
    REQUIRE(live);
    const Result<LiveReplay> replay = live->replay(*run, params, {});
    REQUIRE(replay);
    CHECK(replay->gain == 6 * 80'000);
    for (const RankReplay& rank : replay->ranks) {
        CHECK(rank.waits == (rank.slot == 2 ? 0 : 6 * 80'000));
        CHECK(rank.waits_replayed == 0);
    }
}

TEST_CASE("the window refuses what the analysis refuses, and a run without work has no graph") {
    const RunPtr run = run_of_plan(random_plan(1));
    const Result<LiveWhatIf> live = LiveWhatIf::build(*run, {}, params_of({}), {});
    REQUIRE(live);
    CHECK_FALSE(live->replay(*run, params_of({{"typical", "99"}}), {}));
    CHECK_FALSE(live->replay(*run, params_of({{"stages", "balanced"}}), {}));
    const Result<LiveWhatIf> nothing = LiveWhatIf::build(*run, *parse_filter("rank:77"), params_of({}), {});
    REQUIRE(nothing);
    CHECK_FALSE(nothing->has_graph());
    CHECK(nothing->why_not() == "No work of a rank passes the filter.");
    const RunPtr empty = run_of({TraceFixture().rank(0).build()});
    const Result<LiveWhatIf> none = LiveWhatIf::build(*empty, {}, params_of({}), {});
    REQUIRE(none);
    CHECK_FALSE(none->has_graph());
    CHECK(none->why_not() == "The ranks have no work that could be replayed.");
}

TEST_CASE("shared runs: the window agrees with the analysis") {
    if (!corpus_is_here()) return;
    LoadProgress progress;
    const std::vector<std::filesystem::path> paths = {corpus_folder() / "torchrec/a2a_optimizer_4rank"};
    const Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, {});
    REQUIRE(run);
    check_agrees(with_clocks(*run, ClockChoice::Auto), {{"typical", "2"}});
    check_agrees(with_clocks(*run, ClockChoice::Auto), {{"communication", "0"}, {"cpu", "50"}});
}
