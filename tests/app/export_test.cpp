// lockstep export as scripts see it: files and folders, refusals and their messages.

#include "tests/app/cli.hpp"

#include <nlohmann/json.hpp>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

fs::path write_run_to_export(const TempFolder& folder) {
    const fs::path run = folder.path() / "run";
    REQUIRE(lockstep({"sample", run.string(), "--ranks", "2", "--steps", "3", "--layers", "2"}).status == 0);
    return run;
}

bool says(const Outcome& outcome, std::string_view words) { return outcome.err.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("export writes a file for one rank and a folder for several, and reports what it wrote") {
    const TempFolder folder;
    const fs::path run = write_run_to_export(folder), all = folder.path() / "new/all", one = folder.path() / "one.json";
    const Outcome several = lockstep({"export", run.string(), "--to", "chrome", "-o", all.string(), "--gzip"});
    CHECK(several.status == 0);
    CHECK(several.out.find("rank1.json.gz") != std::string::npos);
    CHECK(fs::exists(all / "rank0.json.gz"));
    CHECK(fs::exists(all / "rank1.json.gz"));
    const Outcome single = lockstep(
        {"export", run.string(), "--to", "chrome", "--ranks", "1", "--steps", "1", "-o", one.string(), "--quiet"});
    CHECK(single.status == 0);
    CHECK(single.out.empty());
    CHECK(nlohmann::json::parse(read_file(one))["distributedInfo"]["rank"] == 1);
    const std::string csv = lockstep({"analyze", "kernels", run.string(), "--format", "csv"}).out;
    CHECK(lockstep({"analyze", "kernels", all.string(), "--format", "csv"}).out == csv);
}

TEST_CASE("export writes one archive for Perfetto, and lists the ranks in it") {
    const TempFolder folder;
    const fs::path run = write_run_to_export(folder), out = folder.path() / "run.tar";
    const Outcome written = lockstep({"export", run.string(), "--to", "perfetto", "-o", out.string()});
    CHECK(written.status == 0);
    CHECK(written.out.find("rank1.json") != std::string::npos);
    CHECK(read_file(out).starts_with("perfetto_manifest.json"));
    const std::string trace = (run / "sample_rank0.pt.trace.json").string();
    const Outcome over = lockstep({"export", run.string(), "--to", "perfetto", "-o", trace});
    CHECK(over.status == 1);
    CHECK(says(over, "sample_rank0"));
    CHECK(says(lockstep({"export", run.string(), "--to", "perfetto", "--gzip", "-o", out.string()}),
               "--gzip: only with"));
    CHECK(says(lockstep({"export", run.string(), "--to", "chrome", "--clocks", "recorded", "-o", out.string()}),
               "--clocks: only with"));
}

TEST_CASE("export refuses usage errors with status 2 and suggests what to do") {
    const TempFolder folder;
    const std::string run = folder.path().string(), out = (folder.path() / "out").string();
    const Outcome nowhere = lockstep({"export", run, "--to", "chrome"});
    CHECK(nowhere.status == 2);
    CHECK(says(nowhere, "needs -o OUT"));
    const Outcome unknown = lockstep({"export", run, "--to", "chrme", "-o", out});
    CHECK(unknown.status == 2);
    CHECK(says(unknown, "'chrme' is not chrome, perfetto or sqlite; did you mean chrome?"));
    const Outcome table = lockstep({"export", run, "--to", "csv", "-o", out});
    CHECK(table.status == 2);
    CHECK(says(table, "lockstep analyze ID PATH --format csv"));
    CHECK(says(lockstep({"export", run, "-o", out}), "needs --to chrome"));
    CHECK(says(lockstep({"export", "--to", "chrome", "-o", out}), "needs the PATH of a run"));
    CHECK_FALSE(fs::exists(out));
}

TEST_CASE("export names the file it cannot write, and never overwrites a trace of the run") {
    const TempFolder folder;
    const fs::path run = write_run_to_export(folder), taken = folder.path() / "taken";
    std::ofstream(taken) << "a file";
    const auto refused = [&](const fs::path& out, const char* ranks, const std::string& words) {
        const Outcome outcome =
            lockstep({"export", run.string(), "--to", "chrome", "--ranks", ranks, "-o", out.string()});
        INFO(outcome.err);
        CHECK(outcome.status == 1);
        CHECK(says(outcome, words));
    };
    refused(taken / "one.json", "0", taken.string() + ": cannot create the folder");
    refused(taken, "0-1", taken.string() + ": is a file: 2 ranks need a folder");
    refused(folder.path() / "all.json", "0-1", "all.json: looks like a file");
    refused(folder.path() / "x.json", "9", "no rank of this run matches the filter");
    for (const auto& entry : fs::directory_iterator(run)) {
        if (entry.path().filename() == "truth.json") continue;
        const std::string before = read_file(entry.path());
        for (const char* const rank : {"0", "1"}) refused(entry.path(), rank, "is an input of this run");
        CHECK(read_file(entry.path()) == before);
    }
    CHECK(read_file(taken) == "a file");
}
