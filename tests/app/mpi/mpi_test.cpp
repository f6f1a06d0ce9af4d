// lockstep-mpi under mpirun, compared with lockstep. Skipped where MPI isn't installed.

#include "core/ingest/index_file/index_layout.hpp"
#include "tests/app/cli.hpp"
#include "tests/long_tests.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace app::testing;
using core::testing::mpi_binary;
using core::testing::mpirun;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

bool has_mpi() {
    if (*mpi_binary() != '\0' && *mpirun() != '\0' && fs::exists(mpirun())) return true;
    MESSAGE("skipped: MPI is not installed");
    return false;
}

// In containers, root must be allowed to run jobs, and processes may outnumber cores. MPI leaks memory.
const std::string kAllow =
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0 "
    "OMPI_MCA_mpi_yield_when_idle=1; "
    "export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0; ";

std::string mpi_command(int processes, const std::vector<std::string>& words) {
    std::string command =
        quoted(mpirun()) + " -n " + std::to_string(processes) + " --oversubscribe " + quoted(mpi_binary());
    for (const std::string& word : words) command += " " + quoted(word);
    return command;
}

// keep_cache: with index files next to the traces, as users have them.
Outcome mpi(int processes, const std::vector<std::string>& words, bool keep_cache = false) {
    return run_shell(kAllow + (keep_cache ? "unset LOCKSTEP_NO_CACHE; " : "") + mpi_command(processes, words));
}

Outcome alone_with(const std::vector<std::string>& words, bool keep_cache = false) {
    std::string command = (keep_cache ? "unset LOCKSTEP_NO_CACHE; " : "") + quoted(core::testing::lockstep_binary());
    for (const std::string& word : words) command += " " + quoted(word);
    return run_shell(command);
}

fs::path write_run(const TempFolder& folder, int ranks, const std::string& name = "run",
                   const std::string& seed = "1") {
    const fs::path run = folder.path() / name;
    REQUIRE(lockstep({"sample", run.string(), "--ranks", std::to_string(ranks), "--steps", "3", "--layers", "2",
                      "--seed", seed})
                .status == 0);
    return run;
}

// All bytes of an index file except the certificate, which contains its inode.
std::map<std::string, std::string> indices_in(const fs::path& folder) {
    using namespace core::index_layout;
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.path().filename().string().ends_with(".lockstep-index")) continue;
        std::string bytes = read_file(entry.path());
        REQUIRE(bytes.size() > kTableAt);
        bytes.replace(kCertificateAt, sizeof(Certificate), sizeof(Certificate), '\0');
        files.emplace(entry.path().filename().string(), std::move(bytes));
    }
    return files;
}

void check_same(const std::map<std::string, std::string>& files, const std::map<std::string, std::string>& expected) {
    CHECK(files.size() == expected.size());
    for (const auto& [name, bytes] : expected) {
        CAPTURE(name);
        REQUIRE(files.contains(name));
        CHECK((files.at(name) == bytes));
    }
}

std::size_t count_of(const std::string& text, std::string_view what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("four processes write the index files that one writes, byte for byte, each once") {
    if (!has_mpi()) return;
    const TempFolder folder;
    const fs::path run = write_run(folder, 64), out = folder.path() / "out", alone = folder.path() / "alone";
    const Outcome one = lockstep({"index", run.string(), "-o", alone.string(), "--jobs", "1"});
    REQUIRE(one.status == 0);
    const Outcome four = mpi(4, {"index", run.string(), "-o", out.string(), "--jobs", "1"});
    INFO(four.err);
    REQUIRE(four.status == 0);
    CHECK(count_of(four.out, "  written") == 64 + 1);  // and the summary
    CHECK(indices_in(out).size() == 64);
    check_same(indices_in(out), indices_in(alone));
    const Outcome again = mpi(2, {"index", run.string(), "-o", out.string()});
    CHECK(again.status == 0);
    CHECK(count_of(again.out, "up to date") == 64 + 1);
    const Outcome same = lockstep({"index", run.string(), "-o", out.string()});
    CHECK(again.out == same.out);
}

TEST_CASE("answers, comparisons and reports of four processes are those of one") {
    if (!has_mpi() || !core::testing::may_take_minutes()) return;
    const TempFolder folder;
    const fs::path run = write_run(folder, 64), other = write_run(folder, 64, "other", "2");
    const std::vector<std::vector<std::string>> commands = {
        {"analyze", "temporal-breakdown", run.string()},
        {"analyze", "kernels", run.string(), "--format", "csv"},
        {"analyze", "stragglers", run.string(), "--format", "json"},
        {"analyze", "collectives", run.string(), "--format", "csv"},
        {"analyze", "critical-path", run.string(), "--filter", "rank:0-9 step:2", "--format", "json"},
        {"analyze", "findings", run.string()},
        {"analyze", "what-to-do", run.string()},
        {"diff", run.string(), other.string(), "--format", "csv"},
        {"diff", run.string(), other.string(), "--analysis", "temporal-breakdown", "--format", "json"},
        {"report", run.string(), "-o", "-", "--no-picture"},
        {"analyze", "no-such-analysis", run.string()},
        {"analyze", "kernels", run.string(), "--filter", "rank:900"},
        {"analyze", "kernels", (folder.path() / "nothing").string()},
    };
    for (const std::vector<std::string>& words : commands) {
        CAPTURE(words[0]);
        CAPTURE(words[1]);
        const Outcome together = mpi(4, words, true);  // first: it makes the index files
        const Outcome alone = alone_with(words, true);
        INFO(together.err);
        CHECK(together.status == alone.status);
        CHECK((together.out == alone.out));
        if (alone.status != 0) CHECK(together.err.find(alone.err) != std::string::npos);
    }
}

TEST_CASE("collectives that several processes match together are those that one matches") {
    if (!has_mpi() || !core::testing::may_take_minutes()) return;
    const TempFolder folder;
    const fs::path run = folder.path() / "run", out = folder.path() / "out";
    REQUIRE(lockstep({"sample", run.string(), "--ranks", "24", "--tensor-parallel", "4", "--pipeline-parallel", "2",
                      "--steps", "4", "--layers", "4", "--clock-spread", "300", "--plant", "lost-records"})
                .status == 0);
    REQUIRE(lockstep({"index", run.string(), "-o", out.string()}).status == 0);
    for (const std::string analysis : {"matching", "collectives", "waits"}) {
        for (const std::string clocks : {"auto", "recorded"}) {
            const std::vector<std::string> words = {"analyze", analysis,   out.string(), "--clocks",
                                                    clocks,    "--format", "csv"};
            CAPTURE(analysis);
            CAPTURE(clocks);
            const Outcome alone = alone_with(words);
            REQUIRE(alone.status == 0);
            CHECK(count_of(alone.out, "\n") > 1);
            const Outcome together = mpi(4, words);
            INFO(together.err);
            CHECK(together.status == 0);
            CHECK((together.out == alone.out));
        }
    }
}

TEST_CASE("a run summary is analysed by several processes as by one") {
    if (!has_mpi()) return;
    const TempFolder folder;
    const fs::path run = write_run(folder, 6), out = folder.path() / "out";
    REQUIRE(lockstep({"index", run.string(), "-o", out.string()}).status == 0);
    const std::vector<std::string> words = {"analyze", "collectives", (out / "run.lockstep-summary").string()};
    const Outcome alone = alone_with(words), together = mpi(3, words);
    INFO(together.err);
    CHECK(alone.status == 0);
    CHECK(together.status == 0);
    CHECK((together.out == alone.out));
}

TEST_CASE("without index files each process reads the traces, and the answer is the same") {
    if (!has_mpi()) return;
    const TempFolder folder;
    const fs::path run = write_run(folder, 6);
    const Outcome together = mpi(3, {"analyze", "kernels", run.string(), "--no-cache", "--format", "csv"});
    const Outcome alone = lockstep({"analyze", "kernels", run.string(), "--no-cache", "--format", "csv"});
    CHECK(together.status == 0);
    CHECK((together.out == alone.out));
    CHECK(indices_in(run).empty());
}

TEST_CASE("a damaged trace fails by name, and the rest is indexed") {
    if (!has_mpi() || !core::testing::may_take_minutes()) return;
    const TempFolder folder;
    const fs::path run = write_run(folder, 4), out = folder.path() / "out";
    std::ofstream(run / "rank9.json") << "{\"traceEvents\": [7, {]}";
    const Outcome three = mpi(3, {"index", run.string(), "-o", out.string()});
    CHECK(three.status == 1);
    CHECK(three.err.find("rank9.json") != std::string::npos);
    CHECK(indices_in(out).size() == 4);
    for (const auto& entry : fs::directory_iterator(run))
        if (entry.path().filename() != "rank9.json") fs::remove(entry.path());
    const Outcome none = mpi(2, {"index", run.string()}), alone = lockstep({"index", run.string()});
    CHECK(none.status == 1);
    CHECK(none.err.find(alone.err) != std::string::npos);
    CHECK(mpi(2, {"index", run.string(), "--shard", "0/2"}).status == 2);
    CHECK(mpi(2, {"sample", run.string()}).status == 2);
}

// LOCKSTEP_KILL_ROUNDS sets the number of rounds.
TEST_CASE("a job whose process is killed ends, leaves no half index, and a second run completes it") {
    if (!has_mpi() || !core::testing::may_take_minutes()) return;
    const TempFolder folder;
    const fs::path run = write_run(folder, 24), out = folder.path() / "out", alone = folder.path() / "alone";
    REQUIRE(lockstep({"index", run.string(), "-o", alone.string(), "--jobs", "1"}).status == 0);
    const std::map<std::string, std::string> expected = indices_in(alone);
    const char* const asked = std::getenv("LOCKSTEP_KILL_ROUNDS");
    const int rounds = asked ? std::atoi(asked) : 5;
    std::mt19937 random(20261125);
    int killed = 0;
    for (int round = 0; round < rounds; ++round) {
        CAPTURE(round);
        fs::remove_all(out);
        const fs::path pids = folder.path() / ("pids" + std::to_string(round));
        fs::create_directory(pids);
        // Each process names itself before it becomes lockstep-mpi.
        const std::string start = "echo $$ > " + (pids / "$OMPI_COMM_WORLD_RANK").string() + "; exec " +
                                  quoted(mpi_binary()) + " index " + quoted(run.string()) + " -o " +
                                  quoted(out.string()) + " --jobs 1";
        Outcome outcome;
        const auto begin = std::chrono::steady_clock::now();
        std::thread job(
            [&] { outcome = run_shell(kAllow + quoted(mpirun()) + " -n 3 --oversubscribe sh -c " + quoted(start)); });
        // Once the first index file is there, MPI has started.
        const auto has_begun = [&] { return fs::exists(out) && !fs::is_empty(out); };
        while (!has_begun() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
        const fs::path victim = pids / std::to_string(random() % 3);
        const int pid = fs::exists(victim) ? std::atoi(read_file(victim).c_str()) : 0;
        if (pid > 0) ::kill(pid, SIGKILL);
        job.join();
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
        const std::map<std::string, std::string> left = indices_in(out);
        for (const auto& [name, bytes] : left) CHECK((expected.at(name) == bytes));
        killed += outcome.status != 0 ? 1 : 0;
        if (outcome.status == 0) CHECK(left.size() == 24);
        INFO(outcome.err);
        const Outcome again = mpi(3, {"index", run.string(), "-o", out.string(), "--jobs", "1"});
        CHECK(again.status == 0);
        check_same(indices_in(out), expected);
    }
    CHECK(killed > 0);
}
