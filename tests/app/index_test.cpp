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
    const std::string words =
        quoted(core::testing::lockstep_binary()) + " analyze kernels " + quoted(run.string()) + " --format csv";
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

TEST_CASE("index writes a run summary next to the index files, which answers without them") {
    const TempFolder folder;
    const fs::path run = write_sample(folder), laptop = folder.path() / "laptop.lockstep-summary";
    REQUIRE(lockstep({"index", run.string()}).status == 0);
    const fs::path summary = run / "run.lockstep-summary";
    REQUIRE(fs::exists(summary));
    CHECK(lockstep({"index", run.string()}).out.find("written") == std::string::npos);
    const Outcome traces = lockstep({"analyze", "temporal-breakdown", run.string(), "--format", "csv"});
    fs::copy_file(summary, laptop);
    fs::remove_all(run);
    const Outcome alone = lockstep({"analyze", "temporal-breakdown", laptop.string(), "--format", "csv"});
    CHECK(alone.status == 0);
    CHECK(alone.out == traces.out);
    const Outcome info = lockstep({"info", laptop.string()});
    CHECK(info.status == 0);
    CHECK(info.out.find("summary") != std::string::npos);
    const Outcome refused = lockstep({"analyze", "operators", laptop.string()});
    CHECK(refused.status == 1);
    CHECK(refused.err.find("a run summary has no single events") != std::string::npos);
    CHECK(refused.out.empty());
    for (const char* const reads_events : {"sql", "export", "report", "trend"}) {
        INFO(reads_events);
        const std::string out = (folder.path() / "out").string();
        const Outcome other =
            reads_events == std::string("sql")      ? lockstep({"sql", laptop.string(), "select count(*) from events"})
            : reads_events == std::string("export") ? lockstep({"export", laptop.string(), "--to", "chrome", "-o", out})
            : reads_events == std::string("report") ? lockstep({"report", laptop.string(), "-o", out, "--no-picture"})
                                                    : lockstep({"trend", laptop.string(), laptop.string()});
        CHECK(other.status != 0);
        CHECK(other.err.find("a run summary has no single events") != std::string::npos);
    }
}

TEST_CASE("index --summary-only writes one file, from traces or index files, and nothing else") {
    const TempFolder folder;
    const fs::path run = write_sample(folder), file = folder.path() / "a.lockstep-summary";
    REQUIRE(lockstep({"index", run.string(), "--summary-only", "-o", file.string()}).status == 0);
    CHECK(count_indices(run) == 0);
    CHECK_FALSE(fs::exists(run / "run.lockstep-summary"));
    const Outcome from_traces = lockstep({"analyze", "steps", file.string(), "--format", "csv"});
    CHECK(from_traces.status == 0);
    REQUIRE(lockstep({"index", run.string(), "--no-summary"}).status == 0);
    CHECK_FALSE(fs::exists(run / "run.lockstep-summary"));
    REQUIRE(lockstep({"index", run.string(), "--summary-only", "-o", file.string()}).status == 0);
    CHECK(lockstep({"analyze", "steps", file.string(), "--format", "csv"}).out == from_traces.out);
    CHECK(lockstep({"index", run.string(), "--summary-only"}).status == 2);
    CHECK(lockstep({"index", run.string(), "--summary-only", "-o", (run / "sample_rank0.pt.trace.json").string()})
              .status == 1);
    CHECK(lockstep({"index", file.string(), "--summary-only", "-o", (folder.path() / "b").string()}).status == 1);
    std::ofstream(file) << "short";
    CHECK(lockstep({"info", file.string()}).status == 1);
}
