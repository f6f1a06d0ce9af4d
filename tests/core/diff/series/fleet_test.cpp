#include "core/diff/series/fleet.hpp"

#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/export/report/html_fleet.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/analysis/whatif/planned_run.hpp"
#include "tests/corpus.hpp"

using namespace core;
using namespace core::testing;

TEST_CASE("runs are sorted by their start, with the change from the previous run with steps") {
    std::vector<FleetRun> runs(4);
    runs[0].name = "late", runs[0].start_ns = 30, runs[0].step_ns = 150;
    runs[1].name = "broken", runs[1].failed = "no traces";
    runs[2].name = "without steps", runs[2].start_ns = 20;
    runs[3].name = "first", runs[3].start_ns = 10, runs[3].step_ns = 100, runs[3].mfu = 0.25;
    const Table table = fleet_table(std::move(runs));
    REQUIRE(table.rows() == 4);
    const auto name = [&](std::size_t row) { return std::string(table.text(row, 0)); };
    CHECK(name(0) == "first");
    CHECK(name(1) == "without steps");
    CHECK(name(2) == "late");
    CHECK(name(3) == "broken");
    const std::size_t change = table.find_column("change");
    CHECK(table.absent(0, change));
    CHECK(table.absent(1, change));
    CHECK(table.number(2, change) == doctest::Approx(0.5));
    CHECK(table.absent(3, table.find_column("steps")));
    CHECK(table.text(3, table.find_column("failed")) == "no traces");
    CHECK(table.absent(2, table.find_column("mfu")));
}

TEST_CASE("a run is compared with the last one before that is of its program, and another one says why not") {
    std::vector<FleetRun> runs(5);
    const auto plan = [&](std::size_t i, const char* name, double step_ns, Program program) {
        runs[i].name = name, runs[i].start_ns = static_cast<std::int64_t>(i), runs[i].step_ns = step_ns;
        runs[i].program = std::move(program);
    };
    plan(0, "a", 100, {.ranks = 2, .devices = "A", .names = {1, 2, 3, 4}});
    plan(1, "other kernels", 9'000, {.ranks = 2, .devices = "A", .names = {1, 12, 13}});
    plan(2, "more ranks", 100, {.ranks = 4, .devices = "A", .names = {1, 2, 3, 4}});
    plan(3, "other device", 100, {.ranks = 2, .devices = "B", .names = {1, 2, 3, 4}});
    plan(4, "b", 150, {.ranks = 2, .devices = "A", .names = {1, 2, 9}});
    const Table table = fleet_table(std::move(runs));
    const std::size_t change = table.find_column("change"), against = table.find_column("against");
    CHECK(table.absent(0, against));
    for (std::size_t row = 0; row < 4; ++row) CHECK(table.absent(row, change));
    CHECK(table.text(1, against) == "other kernels: 25.0 % of names in common");
    CHECK(table.text(2, against) == "4 ranks, before 2");
    CHECK(table.text(3, against) == "2 ranks, before 4");
    CHECK(table.number(4, change) == doctest::Approx(0.5));
    CHECK(table.text(4, against) == "a");
}

TEST_CASE("a run's program is its ranks, devices and kernels, not its times") {
    const Plan first = random_plan(4);
    Plan slower = first;
    for (auto& rank : slower.work)
        for (auto& time : rank) time += 500;
    const Program one = find_program(*run_of_plan(first)), two = find_program(*run_of_plan(slower));
    CHECK(one.ranks == first.work.size());
    CHECK_FALSE(one.names.empty());
    CHECK(find_other_program(one, two).empty());
    Program other = two;
    other.devices = "another";
    CHECK(find_other_program(one, other) == "other devices");
}

TEST_CASE("a row of the fleet has the numbers of the analyses it names") {
    const RunPtr run = run_of_plan(random_plan(4));
    const Result<FleetRun> row = measure_fleet_run(*run, {}, 0, 2, {});
    REQUIRE(row);
    CHECK(row->program.ranks == run->ranks().size());
    CHECK_FALSE(row->step_ns);  // no steps in the plan
    CHECK(row->finding.starts_with("kernel") == (row->saved > 0 && row->finding.ends_with("gemm")));
    const Answer exposed = answer_of(*run, "exposed-communication");
    std::int64_t wait = 0;
    for (std::size_t r = 0; r < exposed.main().rows(); ++r)
        wait += exposed.main().integer(r, exposed.main().find_column("exposed_wait"));
    REQUIRE(row->exposed_wait);
    CHECK(std::abs(*row->exposed_wait * static_cast<std::int64_t>(exposed.main().rows()) - wait) <=
          static_cast<std::int64_t>(exposed.main().rows()));
}

TEST_CASE("a finding saves at most the whole step") {
    if (!corpus_is_here()) return;
    LoadProgress progress;
    const std::vector<std::filesystem::path> paths = {corpus_folder() / "torchrec/a2a_optimizer_4rank"};
    const Result<RunPtr> run = load_run(paths, LoadOptions{}, progress, {});
    REQUIRE(run);
    const Result<FleetRun> row = measure_fleet_run(*with_clocks(*run, ClockChoice::Auto), {}, 0, 2, {});
    REQUIRE(row);
    REQUIRE(row->step_ns);
    REQUIRE(row->saved);
    CHECK(*row->saved > 0);
    CHECK(static_cast<double>(*row->saved) <= *row->step_ns);
}

TEST_CASE("the page of a fleet shows texts of traces, and none of them as markup") {
    std::vector<FleetRun> runs(1);
    runs[0].name = "<script>alert(1)</script>";
    const std::string page = fleet_to_html(fleet_table(std::move(runs)));
    CHECK(page.find("<script>alert") == std::string::npos);
    CHECK(page.find("&lt;script&gt;") != std::string::npos);
}
