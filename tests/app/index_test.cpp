// Index files as a user sees them: next to the traces, in a separate folder, and without the
// traces.

#include "tests/app/cli.hpp"

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

std::size_t count_indices(const fs::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        count += entry.path().filename().string().ends_with(".lockstep-index") ? 1 : 0;
    return count;
}

fs::path write_sample(const TempFolder& folder) {
    const fs::path run = folder.path() / "run";
    REQUIRE(lockstep({"sample", run.string(), "--ranks", "2", "--steps", "3", "--layers", "2"}).status == 0);
    return run;
}

}  // namespace

TEST_CASE("index reports per rank what it wrote, and the second time that everything is up to date") {
    const TempFolder folder;
    const fs::path run = write_sample(folder);
    const Outcome first = lockstep({"index", run.string()});
    CHECK(first.status == 0);
    CHECK(first.out.find("written") != std::string::npos);
    CHECK(count_indices(run) == 2);
    const Outcome second = lockstep({"index", run.string()});
    CHECK(second.status == 0);
    CHECK(second.out.find("up to date") != std::string::npos);
    CHECK(second.out.find("written") == std::string::npos);
}

TEST_CASE("index files alone give the same answers as the traces") {
    const TempFolder folder;
    const fs::path run = write_sample(folder), laptop = folder.path() / "laptop";
    REQUIRE(lockstep({"index", run.string(), "-o", laptop.string()}).status == 0);
    CHECK(count_indices(run) == 0);
    for (const char* const analysis : {"temporal-breakdown", "kernels", "operators", "launches"}) {
        INFO(analysis);
        const Outcome traces = lockstep({"analyze", analysis, run.string(), "--format", "csv"});
        const Outcome alone = lockstep({"analyze", analysis, laptop.string(), "--format", "csv"});
        CHECK(alone.status == 0);
        CHECK(alone.out == traces.out);
    }
    CHECK(lockstep({"info", laptop.string()}).out.find("index-alone") != std::string::npos);
}

TEST_CASE("commands write and use index files, except with --no-cache") {
    const TempFolder folder;
    const fs::path run = write_sample(folder);
    const std::string words = quoted(LOCKSTEP_BINARY) + " analyze kernels " + quoted(run.string()) + " --format csv";
    const std::string use = "unset LOCKSTEP_NO_CACHE; ";
    const Outcome without = run_shell(use + words + " --no-cache");
    CHECK(count_indices(run) == 0);
    const Outcome first = run_shell(use + words);
    CHECK(count_indices(run) == 2);
    const Outcome second = run_shell(use + words);
    CHECK(first.out == without.out);
    CHECK(second.out == without.out);
    CHECK(second.err.find("index-rebuilt") == std::string::npos);
}

TEST_CASE("index refuses a path that is not a run, and reports what it could not write") {
    const TempFolder folder;
    CHECK(lockstep({"index"}).status == 2);
    CHECK(lockstep({"index", "x", "--no-such"}).status == 2);
    const Outcome missing = lockstep({"index", (folder.path() / "none").string()});
    CHECK(missing.status == 1);
    CHECK(missing.err.find("does not exist") != std::string::npos);
    const fs::path run = write_sample(folder), taken = folder.path() / "taken";
    std::ofstream(taken) << "a file";
    const Outcome failed = lockstep({"index", run.string(), "-o", taken.string()});
    CHECK(failed.status == 1);
    CHECK(failed.out.find("failed") != std::string::npos);
    CHECK(failed.err.find("cannot be written") != std::string::npos);
}
