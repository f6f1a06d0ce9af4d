// Several processes index one folder together, and some are killed.

#include "core/ingest/index_file/index_layout.hpp"
#include "core/store/sections.hpp"
#include "tests/app/cli.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

// Compares index files without the sections of argument texts, whose packing depends on which thread learnt a writer's
// line formats first.
std::map<std::uint32_t, std::string> sections_of(const std::string& file) {
    using namespace core::index_layout;
    Header header{};
    std::memcpy(&header, file.data(), sizeof header);
    std::map<std::uint32_t, std::string> sections;
    for (std::uint32_t i = 0; i < header.sections; ++i) {
        Entry entry{};
        std::memcpy(&entry, file.data() + kTableAt + i * sizeof entry, sizeof entry);
        if (entry.id != core::section::kTextBlocks && entry.id != core::section::kTextPacked)
            sections.emplace(entry.id, file.substr(entry.offset, entry.bytes));
    }
    return sections;
}

std::map<std::string, std::string> indices_in(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename().string().ends_with(".lockstep-index"))
            files.emplace(entry.path().filename().string(), read_file(entry.path()));
    return files;
}

void check_same(const std::map<std::string, std::string>& files, const std::map<std::string, std::string>& expected) {
    CHECK(files.size() == expected.size());
    for (const auto& [name, bytes] : files) {
        CAPTURE(name);
        REQUIRE(expected.contains(name));
        const std::map<std::uint32_t, std::string> sections = sections_of(bytes);
        REQUIRE(sections.size() > 20);
        for (const auto& [id, section] : sections_of(expected.at(name))) {
            CAPTURE(id);
            REQUIRE(sections.contains(id));
            CHECK((sections.at(id) == section));
        }
    }
}

std::size_t leftovers_in(const fs::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        count += entry.path().filename().string().find(".claim") != std::string::npos ? 1U : 0U;
    return count;
}

pid_t start(const std::vector<std::string>& words, const fs::path& out) {
    std::vector<char*> arguments;
    std::vector<std::string> kept = words;
    kept.insert(kept.begin(), core::testing::lockstep_binary());
    for (std::string& word : kept) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int failed =
        ::posix_spawn(&child, core::testing::lockstep_binary(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    REQUIRE(failed == 0);
    return child;
}

int wait_for(pid_t child) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

fs::path write_run(const TempFolder& folder, int ranks) {
    const fs::path run = folder.path() / "run";
    REQUIRE(
        lockstep({"sample", run.string(), "--ranks", std::to_string(ranks), "--steps", "3", "--layers", "2"}).status ==
        0);
    return run;
}

}  // namespace

TEST_CASE("processes with a shard each write every index file once between them") {
    const TempFolder folder;
    const fs::path run = write_run(folder, 12), out = folder.path() / "out";
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i)
        children.push_back(
            start({"index", run.string(), "-o", out.string(), "--jobs", "1", "--shard", std::to_string(i) + "/3"},
                  folder.path() / ("log" + std::to_string(i))));
    for (const pid_t child : children) CHECK(wait_for(child) == 0);
    std::size_t written = 0;
    for (int i = 0; i < 3; ++i) {
        const std::string log = read_file(folder.path() / ("log" + std::to_string(i)));
        INFO(log);
        CHECK(log.find("process " + std::to_string(i) + " of 3") != std::string::npos);
        written += count_written_indices(log);
    }
    CHECK(written == 12);
    CHECK(indices_in(out).size() == 12);
    CHECK(leftovers_in(out) == 0);
    const fs::path alone = folder.path() / "alone";
    REQUIRE(lockstep({"index", run.string(), "-o", alone.string()}).status == 0);
    CHECK(indices_in(alone).size() == 12);
    check_same(indices_in(out), indices_in(alone));
}

TEST_CASE("one process of many does the work of those that never came") {
    const TempFolder folder;
    const fs::path run = write_run(folder, 6), out = folder.path() / "out";
    const Outcome alone = lockstep({"index", run.string(), "-o", out.string(), "--shard", "3/64"});
    CHECK(alone.status == 0);
    CHECK(indices_in(out).size() == 6);
}

TEST_CASE("the share is found in the environment, and a wrong one is refused") {
    const TempFolder folder;
    const fs::path run = write_run(folder, 2), out = folder.path() / "out";
    const std::string command =
        quoted(core::testing::lockstep_binary()) + " index " + quoted(run.string()) + " -o " + quoted(out.string());
    const Outcome slurm = run_shell("SLURM_PROCID=1 SLURM_NTASKS=2 " + command);
    CHECK(slurm.status == 0);
    CHECK(slurm.err.find("process 1 of 2 (SLURM_PROCID)") != std::string::npos);
    CHECK(run_shell("SLURM_PROCID=2 SLURM_NTASKS=2 " + command).status == 2);
    CHECK(lockstep({"index", run.string(), "--shard", "2/2"}).status == 2);
    CHECK(lockstep({"index", run.string(), "--shard", "two"}).status == 2);
    CHECK(lockstep({"index", run.string(), "--shard", "0/2", "--claim-timeout", "0"}).status == 2);
}

TEST_CASE("a damaged trace is read by one process and reported by all; the rest is indexed") {
    const TempFolder folder;
    const fs::path run = write_run(folder, 4), out = folder.path() / "out";
    std::ofstream(run / "rank9.json") << "{\"traceEvents\": [7, {]}";
    std::vector<pid_t> children;
    for (int i = 0; i < 2; ++i)
        children.push_back(start({"index", run.string(), "-o", out.string(), "--shard", std::to_string(i) + "/2"},
                                 folder.path() / ("log" + std::to_string(i))));
    for (const pid_t child : children) CHECK(wait_for(child) == 1);
    for (int i = 0; i < 2; ++i)
        CHECK(read_file(folder.path() / ("log" + std::to_string(i))).find("rank9.json") != std::string::npos);
    CHECK(indices_in(out).size() == 4);
}

// LOCKSTEP_KILL_ROUNDS sets the number of rounds.
TEST_CASE("processes killed at any moment leave no half index and nothing undone") {
    const TempFolder folder;
    const fs::path run = write_run(folder, 8), out = folder.path() / "out", alone = folder.path() / "alone";
    REQUIRE(lockstep({"index", run.string(), "-o", alone.string()}).status == 0);
    const char* const asked = std::getenv("LOCKSTEP_KILL_ROUNDS");
    const int rounds = asked ? std::atoi(asked) : 10;
    std::mt19937 random(20261125);
    for (int round = 0; round < rounds; ++round) {
        fs::remove_all(out);
        std::vector<pid_t> children;
        for (int i = 0; i < 3; ++i)
            children.push_back(start({"index", run.string(), "-o", out.string(), "--jobs", "1", "--claim-timeout", "2",
                                      "--shard", std::to_string(i) + "/3"},
                                     folder.path() / ("log" + std::to_string(i))));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 80'000));
        const std::size_t first = random() % 3, second = (first + 1) % 3;
        ::kill(children[first], SIGKILL);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
        ::kill(children[second], SIGKILL);
        CHECK(wait_for(children[(second + 1) % 3]) == 0);
        static_cast<void>(wait_for(children[first]));
        static_cast<void>(wait_for(children[second]));
        INFO("round ", round, read_file(folder.path() / ("log" + std::to_string((second + 1) % 3))));
        check_same(indices_in(out), indices_in(alone));
        const Outcome again = lockstep({"index", run.string(), "-o", out.string()});
        CHECK(again.status == 0);
        CHECK(count_written_indices(again.out) == 0);  // the summary is written by a process that lives to the end
    }
}
