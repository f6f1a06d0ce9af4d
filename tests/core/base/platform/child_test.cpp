#include "core/base/platform/child_process.hpp"

#include <doctest/doctest.h>

#include <string>

#include <signal.h>

using namespace core;
using Got = ChildProgram::Got;

namespace {

constexpr std::chrono::milliseconds kMoment{20};

std::unique_ptr<ChildProgram> shell(const std::string& script) {
    std::error_code error;
    std::unique_ptr<ChildProgram> child = ChildProgram::start({"sh", "-c", script}, error);
    REQUIRE(child);
    return child;
}

std::string read_all(ChildProgram& child) {
    std::string text;
    std::string block(1000, '\0');
    for (;;) {
        const ChildProgram::Piece piece = child.read(block, kMoment);
        if (piece.got == Got::End) return text;
        text.append(block, 0, piece.bytes);
    }
}

}  // namespace

TEST_CASE("a child program is talked with over pipes") {
    const auto child = shell("read line; echo \"got $line\"; echo trouble >&2; exit 3");
    std::string block(100, '\0');
    CHECK(child->read(block, std::chrono::milliseconds(0)).got == Got::Nothing);
    CHECK(child->write("hello\n", kMoment) == std::optional<std::size_t>(6));
    CHECK(read_all(*child) == "got hello\n");
    child->end(std::chrono::seconds(5));
    CHECK(child->status() == 3);
    CHECK(child->errors() == "trouble\n");
}

TEST_CASE("a program that is not there is an error") {
    std::error_code error;
    CHECK_FALSE(ChildProgram::start({"/no/such/program"}, error));
    CHECK(error == std::errc::no_such_file_or_directory);
    CHECK_FALSE(ChildProgram::start({}, error));
    CHECK(error);
}

TEST_CASE("no shell reads the words of a child program") {
    std::error_code error;
    const auto child = ChildProgram::start({"printf", "%s", "$(id); 'x'"}, error);
    REQUIRE(child);
    CHECK(read_all(*child) == "$(id); 'x'");
}

TEST_CASE("a child program that does not end by itself is ended") {
    for (const char* const script : {"exec sleep 1000", "trap '' TERM; while :; do sleep 0.05; done"}) {
        const auto child = shell(script);
        child->end(kMoment);
        CHECK_FALSE(child->status());
        std::string block(10, '\0');
        CHECK(child->read(block, kMoment).got == Got::End);
        CHECK_FALSE(child->write("x", kMoment));
    }
}

TEST_CASE("a child program that fills its output or ignores its input does not block") {
    const auto child = shell("exec cat /dev/zero");
    child->end(std::chrono::seconds(5));
    const auto deaf = shell("exec sleep 1000");
    std::size_t taken = 0;
    const std::string block(100'000, 'x');
    for (int i = 0; i < 5; ++i) taken += deaf->write(block, kMoment).value();
    CHECK(taken < 500'000);
    const auto gone = shell("exit 0");
    read_all(*gone);
    gone->end(std::chrono::seconds(5));
    CHECK_FALSE(gone->write("x", kMoment));
}

TEST_CASE("only the last errors of a child program are kept") {
    const auto child = shell("i=0; while [ $i -lt 3000 ]; do echo \"line $i\" >&2; i=$((i + 1)); done");
    read_all(*child);
    child->end(std::chrono::seconds(5));
    CHECK(child->errors().size() == ChildProgram::kErrorBytes);
    CHECK(child->errors().ends_with("line 2999\n"));
}

TEST_CASE("a child program has the signals of a new program, whatever is blocked here") {
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const auto child = shell("kill -TERM $$; echo alive");
    CHECK(read_all(*child) == "");
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}
