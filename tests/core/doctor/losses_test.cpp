// Descriptions of a run's losses, shared by window, report and command line.

#include "core/doctor/losses.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/temp_folder.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

TraceFixture working_rank(int number, int world) {
    TraceFixture trace;
    trace.rank(number).info().world_size = world;
    trace.kernel(0, 10'000, "gemm");
    return trace;
}

}  // namespace

TEST_CASE("a whole run lacks nothing") {
    const RunPtr run = run_of({working_rank(0, 2).build(), working_rank(1, 2).build()});
    CHECK(find_losses(*run)->empty());
    CHECK(find_losses(*run)->headline().empty());
    CHECK(find_losses(*run_of({}))->empty());
}

TEST_CASE("ranks of the stated world without a file are missing") {
    const RunPtr run = run_of({working_rank(0, 8).build(), working_rank(3, 8).build(), working_rank(7, 8).build()});
    const auto losses = find_losses(*run);
    REQUIRE(losses->entries.size() == 1);
    CHECK(losses->entries[0].text() == "ranks 1-2,4-6 of 8: no file");
    CHECK(losses->headline() == "5 ranks are missing");
    CHECK(losses->damaged == 0);
}

TEST_CASE("a rank without GPU events is damaged only where others have some") {
    TraceFixture cpu;
    cpu.rank(1).cpu(0, 1'000, "aten::mm");
    const auto losses = find_losses(*run_of({working_rank(0, 2).build(), cpu.build()}));
    REQUIRE(losses->entries.size() == 1);
    CHECK(losses->entries[0].text() == "rank 1: 0 GPU events");
    CHECK(losses->headline() == "rank 1 is damaged");
    CHECK(losses->find(RankKey{1, 0}) == losses->entries.data());
    CHECK(losses->find(RankKey{0, 0}) == nullptr);

    TraceFixture alone;
    alone.rank(0).cpu(0, 1'000, "aten::mm");
    CHECK(find_losses(*run_of({alone.build()}))->empty());
}

TEST_CASE("a file that is cut off says at which byte, and how many GPU events are left") {
    const core::testing::TempFolder folder;
    SampleOptions options;
    options.ranks = 2;
    options.steps = 1;
    options.layers = 1;
    const Result<SampleSummary> sample = write_sample_run(folder.path() / "run", options, {});
    REQUIRE(sample.has_value());
    std::filesystem::resize_file(sample->files[1], 8'192);
    const std::filesystem::path paths[] = {folder.path() / "run"};
    LoadProgress progress;
    const Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run.has_value());
    const auto losses = find_losses(**run);
    REQUIRE(losses->entries.size() == 1);
    CHECK(losses->entries[0].text() == "rank 1: file ends at byte 8,192; 0 GPU events read");
}

TEST_CASE("long lists are cut, and the rest is counted") {
    Losses losses;
    for (int i = 0; i < 5; ++i) losses.entries.push_back({RankKey{i, 0}, "no events"});
    losses.damaged = 5;
    CHECK(losses.text(2) == "rank 0: no events\nrank 1: no events\nand 3 more");
    CHECK(losses.headline() == "5 ranks are damaged");
}
