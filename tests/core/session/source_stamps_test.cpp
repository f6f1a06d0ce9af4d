#include "core/session/source_stamps.hpp"

#include "core/ingest/load/load_run.hpp"
#include "core/sample/sample_run.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace core;
namespace fs = std::filesystem;

namespace {

struct StampedRun {
    core::testing::TempFolder parent;
    fs::path folder = parent.path() / "traces";
    RunPtr run;
    SourceStamps stamps;
    StampedRun() {
        SampleOptions options;
        options.ranks = 4;
        options.steps = 2;
        options.layers = 1;
        REQUIRE(write_sample_run(folder, options, {}));
        LoadProgress progress;
        const Result<RunPtr> loaded = load_run(std::vector{folder}, {}, progress, {});
        REQUIRE(loaded);
        run = *loaded;
        stamps = SourceStamps(std::vector{folder}, *run, {});
    }
    const fs::path& trace(std::size_t slot) const { return run->rank(slot).trace().info.path; }
    std::string changes() const {
        const Result<std::string> found = stamps.find_changes({});
        REQUIRE(found);
        return *found;
    }
};

}  // namespace

TEST_CASE_FIXTURE(StampedRun, "unchanged files aren't a change, whatever is put next to them") {
    CHECK(changes().empty());
    std::ofstream(folder / "rank0.json.lockstep-index") << "an index file";
    std::ofstream(folder / "notes.txt") << "more";
    CHECK(changes().empty());
}

TEST_CASE_FIXTURE(StampedRun, "a file that is gone, overwritten or replaced is counted and named") {
    const std::string name = trace(1).filename().string();
    fs::copy_file(trace(1), parent.path() / "copy");
    fs::remove(trace(1));
    CHECK(changes() == "1 of 4 files is gone or changed, first " + name);
    fs::rename(parent.path() / "copy", trace(1));  // the same bytes, another file
    CHECK(changes() == "1 of 4 files is gone or changed, first " + name);
    std::ofstream(trace(0), std::ios::app) << "\n";
    CHECK(changes() == "2 of 4 files are gone or changed, first " + trace(0).filename().string());
}

TEST_CASE_FIXTURE(StampedRun, "a folder that is gone, or another in its place, is said as such") {
    fs::rename(folder, parent.path() / "elsewhere");
    CHECK(changes() == "traces: is gone");
    fs::create_directory(folder);
    CHECK(changes() == "traces: was replaced");
    fs::remove(folder);
    std::ofstream(folder) << "a file now";
    CHECK(changes() == "traces: was replaced");
    fs::remove(folder);
    fs::rename(parent.path() / "elsewhere", folder);
    CHECK(changes().empty());
}

TEST_CASE_FIXTURE(StampedRun, "a check without a waiter stops") {
    std::stop_source stopped;
    stopped.request_stop();
    CHECK_FALSE(stamps.find_changes(JobContext{stopped.get_token()}));
}

TEST_CASE("a file that holds several ranks counts once when it changes") {
    const core::testing::TempFolder folder;
    const fs::path file = folder.path() / "all.json";
    std::ofstream(file) << R"([
{"ph": "X", "cat": "kernel", "name": "k", "pid": "rank 0", "tid": 7, "ts": 1, "dur": 5, "args": {"stream": 7}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": "rank 1", "tid": 7, "ts": 1, "dur": 5, "args": {"stream": 7}}])";
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{file}, {}, progress, {});
    REQUIRE(run);
    REQUIRE((*run)->ranks().size() == 2);
    const SourceStamps stamps({}, **run, {});
    std::ofstream(file, std::ios::app) << "\n";
    CHECK(*stamps.find_changes({}) == "1 of 1 file is gone or changed, first all.json");
}
