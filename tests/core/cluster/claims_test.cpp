#include "core/cluster/claims.hpp"

#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace core;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kLong{60'000}, kShort{200};

std::size_t files_in(const fs::path& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
    return count;
}

// A process that claims files and disappears without releasing them.
void claim_and_die(const fs::path& result) {
    const pid_t child = ::fork();
    if (child == 0) {
        Claims claims(kLong);
        const Result<Claims::Answer> answer = claims.claim(result);
        ::_exit(answer && answer->mine ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
}

void set_times(const fs::path& path, std::chrono::hours back) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - back);
}

}  // namespace

TEST_CASE("one of two has the claim, the other learns who, and gets it when it is given back") {
    const TempFolder folder;
    const fs::path result = folder.path() / "rank0";
    Claims first(kLong), second(kLong);
    REQUIRE(first.claim(result)->mine);
    const Result<Claims::Answer> other = second.claim(result);
    REQUIRE(other);
    CHECK(!other->mine);
    CHECK(other->owner.find("process " + std::to_string(::getpid())) != std::string::npos);
    first.release(result);
    CHECK(second.claim(result)->mine);
    CHECK(!first.claim(result)->mine);
    second.release(result);
    CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("of many that claim at once exactly one has it") {
    const TempFolder folder;
    for (int round = 0; round < 50; ++round) {
        const fs::path result = folder.path() / ("rank" + std::to_string(round));
        std::vector<std::unique_ptr<Claims>> claims;
        for (int i = 0; i < 8; ++i) claims.push_back(std::make_unique<Claims>(kLong));
        std::atomic<int> mine{0};
        {
            std::vector<std::jthread> threads;
            for (const auto& each : claims)
                threads.emplace_back([&] {
                    const Result<Claims::Answer> answer = each->claim(result);
                    if (answer && answer->mine) mine += 1;
                });
        }
        REQUIRE(mine == 1);
    }
    CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("the claim of a process that died is taken over at once on its machine") {
    const TempFolder folder;
    const fs::path result = folder.path() / "rank0";
    claim_and_die(result);
    REQUIRE(files_in(folder.path()) == 1);
    Claims claims(kLong);
    CHECK(claims.claim(result)->mine);
}

TEST_CASE("the claim of another machine is taken over when it was not renewed, and not before") {
    const TempFolder folder;
    const fs::path result = folder.path() / "rank0", claim = folder.path() / "rank0.claim";
    std::ofstream(claim) << "lockstep-claim 1\ntoken\nelsewhere/boot/space\nelsewhere\n1 100\n";
    Claims claims(kLong);
    const Result<Claims::Answer> held = claims.claim(result);
    REQUIRE(held);
    CHECK(!held->mine);
    CHECK(held->owner == "elsewhere, process 1");
    set_times(claim, std::chrono::hours(1));
    CHECK(claims.claim(result)->mine);
}

TEST_CASE("a claim that cannot be read is left alone until it is old") {
    const TempFolder folder;
    const fs::path result = folder.path() / "rank0", claim = folder.path() / "rank0.claim";
    for (const char* const text :
         {"", "lockstep-claim 1\n\n\n\n\n", "lockstep-claim 1\na\nb\nc\n-4 1\n", "\x1b]0;x\x07"}) {
        std::ofstream(claim, std::ios::trunc) << text;
        Claims claims(kLong);
        CHECK(!claims.claim(result)->mine);
        set_times(claim, std::chrono::hours(1));
        CHECK(claims.claim(result)->mine);
    }
}

TEST_CASE("a claim is renewed as long as its owner lives") {
    const TempFolder folder;
    const fs::path result = folder.path() / "rank0", claim = folder.path() / "rank0.claim";
    Claims claims(kShort);
    REQUIRE(claims.claim(result)->mine);
    set_times(claim, std::chrono::hours(1));
    for (int i = 0; i < 500 && fs::last_write_time(claim) < fs::file_time_type::clock::now() - std::chrono::minutes(1);
         ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(fs::last_write_time(claim) > fs::file_time_type::clock::now() - std::chrono::minutes(1));
}

TEST_CASE("a process wrongly declared dead does not remove its successor's claim") {
    const TempFolder folder;
    const fs::path result = folder.path() / "rank0", claim = folder.path() / "rank0.claim";
    Claims slow(kLong), quick(kShort);
    REQUIRE(slow.claim(result)->mine);
    set_times(claim, std::chrono::hours(1));
    REQUIRE(quick.claim(result)->mine);
    slow.release(result);
    CHECK(fs::exists(claim));
    CHECK(!slow.claim(result)->mine);
}

TEST_CASE("processes that run learn of a failure, a later one tries again") {
    const TempFolder folder;
    const fs::path result = folder.path() / "rank0";
    Claims first(kLong), second(kLong);
    REQUIRE(first.claim(result)->mine);
    REQUIRE(!second.claim(result)->mine);
    first.fail(result, "byte 7: not JSON");
    const Result<Claims::Answer> answer = second.claim(result);
    REQUIRE(answer);
    CHECK(!answer->mine);
    CHECK(answer->failure == "byte 7: not JSON");
    set_times(folder.path() / "rank0.failed", std::chrono::hours(1));
    Claims later(kLong);
    CHECK(later.claim(result)->mine);
    CHECK(!fs::exists(folder.path() / "rank0.failed"));
}

TEST_CASE("a folder that cannot be written to is an error with its name") {
    Claims claims(kLong);
    const Result<Claims::Answer> answer = claims.claim("/no/such/folder/rank0");
    REQUIRE(!answer);
    CHECK(answer.error().message.find("/no/such/folder/rank0.claim") != std::string::npos);
}
