#include "core/session/session.hpp"

#include "core/query/filter_text.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

namespace fs = std::filesystem;
using namespace core;

struct Folder {
    Folder()
        : path(fs::temp_directory_path() /
               ("lockstep_session_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
        fs::create_directories(path);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    void write_rank(int rank) const {
        std::ofstream(path / ("rank" + std::to_string(rank) + ".json"))
            << R"({"distributedInfo": {"backend": "nccl", "rank": )" << rank
            << R"(, "world_size": 3}, "traceEvents": [)"
            << R"({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5, "args": {"stream": 7}},)"
            << R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 3}]})";
    }
    fs::path path;
};

void settle(Session& session) {
    while (!session.load()->finished()) {
        session.update();
        std::this_thread::yield();
    }
    session.update();
}

}  // namespace

TEST_CASE("a folder opens in the background and its ranks arrive") {
    const Folder folder;
    for (int rank = 0; rank < 3; ++rank) folder.write_rank(rank);
    std::atomic<int> woken{0};
    Session session(2, [&] { ++woken; });
    CHECK_FALSE(session.run());
    session.open({folder.path});
    settle(session);
    REQUIRE(session.run());
    CHECK(session.run()->ranks().size() == 3);
    CHECK(session.load()->error().empty());
    CHECK(session.load()->progress().ranks_done == 3);
    CHECK(woken > 0);
    CHECK_FALSE(session.update());
}

TEST_CASE("a path that cannot be opened says which and why") {
    Session session(1);
    session.open({"/nowhere/at/all"});
    settle(session);
    CHECK_FALSE(session.run());
    CHECK(session.load()->error().find("/nowhere/at/all") != std::string::npos);
}

TEST_CASE("opening another run puts the first away, with its filter") {
    const Folder first;
    const Folder second;
    first.write_rank(0);
    second.write_rank(1);
    second.write_rank(2);
    Session session(1);
    session.open({first.path});
    settle(session);
    session.query().commit({*parse_filter("rank:0")});
    session.open({second.path});
    CHECK_FALSE(session.run());
    CHECK(session.filter().empty());
    CHECK_FALSE(session.query().can_undo());
    settle(session);
    CHECK(session.run()->ranks().size() == 2);
}

TEST_CASE("a cancelled load ends and the session goes on") {
    const Folder folder;
    for (int rank = 0; rank < 3; ++rank) folder.write_rank(rank);
    Session session(1);
    session.open({folder.path});
    session.cancel_load();
    settle(session);
    CHECK(session.load()->cancelled());
    session.open({folder.path});
    settle(session);
    CHECK(session.run()->ranks().size() == 3);
}

TEST_CASE("a session can be thrown away while it loads") {
    const Folder folder;
    for (int rank = 0; rank < 3; ++rank) folder.write_rank(rank);
    for (int round = 0; round < 5; ++round) {
        Session session(1);
        session.open({folder.path});
        session.open({folder.path});
    }
    CHECK(fs::exists(folder.path));
}
