#include "core/analysis/engine/rounding.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/whatif/planned_run.hpp"
#include "tests/corpus.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("what a kernel would save is what a walk through the plan with half its time says") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        INFO("seed ", seed);
        const Plan plan = random_plan(seed);
        Plan changed = plan;
        for (auto& of_rank : changed.work)
            for (std::int64_t& work : of_rank) work = rounded_mean(work, 2);
        const Answer answer = answer_of(*run_of_plan(plan), "what-to-do");
        const Table& table = *answer.find("kernels");
        std::size_t found = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            if (row > 0 && !table.absent(row, 2)) CHECK(table.integer(row, 2) <= table.integer(row - 1, 2));
            CHECK(table.text(row, 0) == "kernel");
            ++found;
            CHECK(table.text(row, 1) == "gemm");
            CHECK(table.integer(row, 2) == walk(plan).end - walk(changed).end);
        }
        CHECK(found == 1);
    }
}

TEST_CASE("what to do first where a rank sleeps is that rank, and it saves about a second a step") {
    if (!corpus_is_here()) return;
    LoadProgress progress;
    const std::vector<std::filesystem::path> paths = {corpus_folder() / "torchrec/a2a_optimizer_4rank"};
    const Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, {});
    REQUIRE(run);
    const RunPtr aligned = with_clocks(*run, ClockChoice::Auto);
    const Answer answer = answer_of(*aligned, "what-to-do");
    const Table& table = answer.main();
    std::int64_t late = 0, recorded = 0;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.text(row, 0) == "late-rank") {
            CHECK(table.text(row, 1) == "rank 2");
            CHECK(table.text(row, 4) == "3 ranks that wait");
            late = table.integer(row, 2);
        }
    CHECK(late > 900'000'000);
    const Answer replayed = answer_of(*aligned, "what-if");
    for (std::size_t row = 0; row < replayed.main().rows(); ++row) {
        if (replayed.main().text(row, 0) == "recorded") recorded = replayed.main().integer(row, 2);
        if (replayed.main().text(row, 0) == "rank typical" && replayed.main().text(row, 1) == "2")
            CHECK(replayed.main().integer(row, 3) == late);  // one figure, wherever it is told
    }
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!table.absent(row, 2)) CHECK(table.integer(row, 2) <= recorded);
}
