#include "core/base/platform/processes.hpp"

#include "core/base/platform/child_process.hpp"
#include "core/base/platform/signals.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <limits>
#include <optional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace core;

TEST_CASE("a running process is distinguished from one that has ended") {
    CHECK(own_process() == ::getpid());
    CHECK(is_running(own_process()));
    CHECK_FALSE(start_of_process(own_process()).empty());
    CHECK(start_of_process(own_process()) == start_of_process(own_process()));
    CHECK(is_running(1));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    REQUIRE(child > 0);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK_FALSE(is_running(child));
    CHECK(start_of_process(child).empty());
}

TEST_CASE("open files are allowed up to what the system gives") {
    CHECK(allow_open_files(8).allowed);
    constexpr std::uint64_t kTooMany = std::numeric_limits<std::uint64_t>::max() / 2;
    const OpenFileLimit limit = allow_open_files(kTooMany);
    CHECK(limit.allowed == (limit.most >= kTooMany));
}

TEST_CASE("this program is run once more and its output is collected") {
    const std::optional<ChildEnd> end =
        run_self_as_child("again", {"--version"}, {.output_bytes = 1000, .error_bytes = 1000}, {});
    REQUIRE(end);
    CHECK(end->status == 0);
    CHECK(end->output.find("doctest version") != std::string::npos);
    CHECK(end->errors.empty());
}

TEST_CASE("output beyond its limit is cut one byte after it") {
    const std::optional<ChildEnd> end =
        run_self_as_child("again", {"--list-test-cases"}, {.output_bytes = 100, .error_bytes = 100}, {});
    REQUIRE(end);
    CHECK(end->output.size() == 101);
}

TEST_CASE("requests to stop wait until they are read") {
    const StopSignals signals;
    constexpr std::chrono::milliseconds kBrief{1};
    CHECK(signals.wait(kBrief) == StopSignals::Wake::TimedOut);
    REQUIRE(std::raise(SIGTERM) == 0);
    CHECK(signals.wait(std::nullopt) == StopSignals::Wake::Requested);
    REQUIRE(std::raise(SIGINT) == 0);
    CHECK(signals.wait(kBrief) == StopSignals::Wake::Requested);
    StopSignals::Wake seen = StopSignals::Wake::TimedOut;
    std::thread waiting([&] { seen = signals.wait(std::nullopt); });
    StopSignals::wake(waiting);
    waiting.join();
    CHECK(seen == StopSignals::Wake::Woken);
}
