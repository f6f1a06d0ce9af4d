#include "core/session/session.hpp"
#include "core/collectives/choose_clocks.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/session/session_with_steps.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

namespace fs = std::filesystem;
using namespace core;
using core::testing::SessionWithSteps;

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
    // All-reduces of two ranks, the clock of rank 1 300 µs ahead and 40 ppm fast.
    void write_collectives(int rank) const {
        std::ofstream file(path / ("rank" + std::to_string(rank) + ".json"));
        file << R"({"distributedInfo": {"backend": "nccl", "rank": )" << rank
             << R"(, "world_size": 2}, "traceEvents": [)";
        for (int i = 0; i < 24; ++i) {
            const double begin = 1000.0 * i + (rank == 1 ? 300 + 0.04 * i : 0);
            file
                << (i > 0 ? "," : "")
                << R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 7, "ts": )"
                << std::fixed << begin
                << R"(, "dur": 50, "args": {"stream": 7, "Collective name": "allreduce", "Process Group Name": "0", )"
                << R"("Process Group Ranks": "[0, 1]", "Group size": 2, "In msg nelems": 1024, "dtype": "Float", "Seq": )"
                << i << "}}";
        }
        file << "]}";
    }
    fs::path path;
};

void settle(SessionWithSteps& session) {
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
    SessionWithSteps session(2, [&] { ++woken; });
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

TEST_CASE("a path that cannot be opened is named with the reason") {
    SessionWithSteps session(1);
    session.open({"/nowhere/at/all"});
    settle(session);
    CHECK_FALSE(session.run());
    CHECK(session.load()->error().find("/nowhere/at/all") != std::string::npos);
}

TEST_CASE("a run opens on aligned clocks where they matter; another choice is one step of undo") {
    const Folder folder;
    folder.write_collectives(0);
    folder.write_collectives(1);
    SessionWithSteps session(2);
    session.open({folder.path});
    settle(session);
    REQUIRE(session.run());
    const RunPtr opened = session.run();
    CHECK(session.clocks(Side::Baseline) == ClockChoice::Auto);
    REQUIRE(is_aligned(*opened));
    const std::optional<ClockFacts> facts = find_clock_facts(*opened);
    REQUIRE(facts);
    CHECK(facts->comparable);
    CHECK(facts->error < Duration{10'000});

    const auto first_starts_apart = [](const Run& run) {
        return (run.start_of({1, run.rank(1).trace().gpu_events.front()}) -
                run.start_of({0, run.rank(0).trace().gpu_events.front()}))
            .count();
    };
    CHECK(std::abs(first_starts_apart(*opened)) < 10'000);
    session.set_filter(*parse_filter("time:100us..20ms"));
    const RunTime filtered_from = opened->origin() + Duration{100'000};

    session.set_clocks(Side::Baseline, ClockChoice::Recorded);
    CHECK(session.update());
    const RunPtr recorded = session.run();
    CHECK_FALSE(is_aligned(*recorded));
    CHECK(recorded->id() != opened->id());  // keys its answers
    CHECK(first_starts_apart(*recorded) == 300'000);
    const auto* time = std::get_if<TimeTerm>(&session.filter().terms.front().what);
    REQUIRE(time);
    CHECK(recorded->origin() + *time->begin == filtered_from);
    for (std::uint32_t slot = 0; slot < 2; ++slot)
        for (const EventId event : recorded->rank(slot).trace().gpu_events) {
            CHECK(recorded->range_of({slot, event}).length() == Duration{50'000});
            CHECK(opened->range_of({slot, event}).length() == Duration{50'000});
        }

    session.undo();
    session.update();
    CHECK(session.clocks(Side::Baseline) == ClockChoice::Auto);
    CHECK(session.run() == opened);
    session.redo();
    session.update();
    CHECK(session.run() == recorded);
}

TEST_CASE("each of two runs keeps its own clocks, also when they are swapped") {
    const Folder folder;
    folder.write_collectives(0);
    folder.write_collectives(1);
    SessionWithSteps session(2);
    session.open({folder.path});
    settle(session);
    session.open({folder.path}, Side::Candidate);
    while (!session.load(Side::Candidate)->finished()) std::this_thread::yield();
    session.set_clocks(Side::Candidate, ClockChoice::Recorded);
    session.update();
    CHECK(is_aligned(*session.run(Side::Baseline)));
    CHECK_FALSE(is_aligned(*session.run(Side::Candidate)));
    session.swap_runs();
    session.update();
    CHECK_FALSE(is_aligned(*session.run(Side::Baseline)));
    CHECK(is_aligned(*session.run(Side::Candidate)));
    CHECK(session.clocks(Side::Baseline) == ClockChoice::Recorded);
}

TEST_CASE("opening another run replaces the first and its filter; undo restores both") {
    const Folder first;
    const Folder second;
    first.write_rank(0);
    second.write_rank(1);
    second.write_rank(2);
    SessionWithSteps session(1);
    session.open({first.path});
    CHECK_FALSE(session.can_undo());
    settle(session);
    const RunPtr before = session.run();
    session.set_filter(*parse_filter("rank:0"));
    session.open({second.path});
    CHECK_FALSE(session.run());
    CHECK(session.filter().empty());
    settle(session);
    CHECK(session.run()->ranks().size() == 2);
    session.undo();
    CHECK(session.run() == before);
    CHECK(format_filter(session.filter()) == "rank:0");
    session.redo();
    CHECK(session.run()->ranks().size() == 2);
}

TEST_CASE("a candidate opens next to the baseline and keeps the filter; swap and close can be undone") {
    const Folder first;
    const Folder second;
    first.write_rank(0);
    second.write_rank(1);
    SessionWithSteps session(1);
    session.open({first.path});
    settle(session);
    session.set_filter(*parse_filter("class:compute"));
    session.open({second.path}, Side::Candidate);
    CHECK(session.comparing());
    while (!session.load(Side::Candidate)->finished()) session.update();
    session.update();
    const RunPtr baseline = session.run();
    const RunPtr candidate = session.run(Side::Candidate);
    REQUIRE(candidate);
    CHECK(format_filter(session.filter()) == "class:compute");
    session.swap_runs();
    CHECK(session.run() == candidate);
    CHECK(session.run(Side::Candidate) == baseline);
    session.close(Side::Baseline);
    CHECK(session.run() == baseline);
    CHECK_FALSE(session.comparing());
    session.swap_runs();
    CHECK(session.run() == baseline);
    session.undo();
    session.undo();
    CHECK(session.run() == baseline);
    CHECK(session.run(Side::Candidate) == candidate);
}

TEST_CASE("undo keeps only a few runs in memory") {
    const Folder folder;
    folder.write_rank(0);
    SessionWithSteps session(1);
    std::vector<std::weak_ptr<const Run>> runs;
    for (int i = 0; i < 7; ++i) {
        session.open({folder.path});
        settle(session);
        runs.push_back(session.run());
    }
    session.update();
    const auto alive = std::ranges::count_if(runs, [](const auto& run) { return !run.expired(); });
    CHECK(alive == 4);
    while (session.can_undo()) session.undo();
    CHECK(session.run() == runs[3].lock());
}

TEST_CASE("a cancelled load stops and the session stays usable") {
    const Folder folder;
    for (int rank = 0; rank < 3; ++rank) folder.write_rank(rank);
    SessionWithSteps session(1);
    session.open({folder.path});
    session.cancel_load();
    settle(session);
    CHECK(session.load()->cancelled());
    session.open({folder.path});
    settle(session);
    CHECK(session.run()->ranks().size() == 3);
}

TEST_CASE("a session can be destroyed while it loads") {
    const Folder folder;
    for (int rank = 0; rank < 3; ++rank) folder.write_rank(rank);
    for (int round = 0; round < 5; ++round) {
        SessionWithSteps session(1);
        session.open({folder.path});
        session.open({folder.path});
    }
    CHECK(fs::exists(folder.path));
}

TEST_CASE("update() aligns two runs; closing one removes the alignment") {
    const Folder first;
    const Folder second;
    first.write_rank(0);
    second.write_rank(0);
    SessionWithSteps session(1);
    session.open({first.path});
    session.open({second.path}, Side::Candidate);
    while (!session.load()->finished() || !session.load(Side::Candidate)->finished()) session.update();
    session.update();
    REQUIRE(session.alignment());
    session.close(Side::Candidate);
    CHECK_FALSE(session.alignment());
    session.update();
    CHECK_FALSE(session.alignment());
    session.undo();
    session.update();
    CHECK(session.alignment());
    session.swap_runs();
    CHECK_FALSE(session.alignment());
    session.update();
    CHECK(session.alignment());
}

namespace {

using core::testing::TraceFixture;

// Numbered steps of 100 ns from `first` on; the origin is `origin`.
RunPtr run_with_steps(std::int64_t origin, std::int64_t first, int number) {
    return core::testing::run_of({TraceFixture()
                                      .cpu(origin, 5, "first")
                                      .step(first, 100, number)
                                      .step(first + 100, 100, number + 1)
                                      .step(first + 200, 100, number + 2)
                                      .kernel(first + 10, 20, "k")
                                      .build()});
}

// The baseline's first step begins 1000 ns after its origin, the candidate's 200 ns.
struct Comparison {
    SessionWithSteps session{1};
    RunPtr baseline = run_with_steps(5000, 6000, 1);
    RunPtr candidate = run_with_steps(100, 300, 7);
    Comparison() {
        session.set_run(baseline);
        session.update();
    }
    void open_candidate() {
        session.set_run(candidate, Side::Candidate);
        session.update();
    }
    void filter(std::string_view text) {
        session.set_filter(*parse_filter(text));
        session.update();
    }
    std::string shown() const { return format_filter(session.filter()); }
    RunRange times(Side side) const { return session.filter(side).time_range(*session.run(side)).value(); }
};

RunRange range(std::int64_t begin, std::int64_t end) { return {run_time(begin), run_time(end)}; }

}  // namespace

TEST_CASE_FIXTURE(Comparison, "a filter's times stay the same moments of the baseline when the candidate closes") {
    open_candidate();
    filter("time:-50ns..100ns");
    CHECK(times(Side::Baseline) == range(5950, 6100));
    CHECK(times(Side::Candidate) == range(250, 400));
    session.close(Side::Candidate);
    session.update();
    CHECK(times(Side::Baseline) == range(5950, 6100));
    CHECK(shown() == "time:+950ns..+1.1us");
    session.undo();
    session.update();
    CHECK(shown() == "time:-50ns..+100ns");
    CHECK(times(Side::Baseline) == range(5950, 6100));
    session.redo();
    session.update();
    CHECK(shown() == "time:+950ns..+1.1us");
}

TEST_CASE_FIXTURE(Comparison, "closing the baseline converts the filter's times to the same moments of the other run") {
    open_candidate();
    filter("rank:0 time:-50ns..100ns");
    session.close(Side::Baseline);
    session.update();
    CHECK(session.run() == candidate);
    CHECK(times(Side::Baseline) == range(250, 400));
}

TEST_CASE_FIXTURE(Comparison,
                  "another alignment moves the candidate, not the times of the baseline, and undo brings both back") {
    open_candidate();
    filter("time:0ns..100ns");
    session.align({AlignBy::Kind::Step, 2, {}, {}});
    session.update();
    CHECK(session.alignment()->anchor_steps == BySide<std::int64_t>{2, 8});
    CHECK(shown() == "time:-100ns..+0ns");
    CHECK(times(Side::Baseline) == range(6000, 6100));
    CHECK(times(Side::Candidate) == range(300, 400));
    session.align({AlignBy::Kind::Start, 0, {}, {}});
    session.update();
    CHECK(shown() == "time:+1us..+1.1us");
    CHECK(times(Side::Candidate) == range(1100, 1200));
    session.undo();
    session.undo();
    session.update();
    CHECK(shown() == "time:+0ns..+100ns");
    CHECK(times(Side::Candidate) == range(300, 400));
}

TEST_CASE_FIXTURE(Comparison, "repeating the current alignment adds no undo step") {
    open_candidate();
    filter("time:0ns..100ns");
    session.align(session.aligned_by());
    session.undo();
    CHECK(session.filter().empty());
}

TEST_CASE_FIXTURE(Comparison, "swapping runs keeps the aligned step, and the filter's times stay relative to it") {
    open_candidate();
    session.align({AlignBy::Kind::Step, 3, {}, {}});
    session.update();
    filter("time:0ns..100ns");
    session.swap_runs();
    session.update();
    CHECK(session.run() == candidate);
    CHECK(session.alignment()->anchor_steps == BySide<std::int64_t>{9, 3});
    CHECK(times(Side::Baseline) == range(500, 600));
    CHECK(times(Side::Candidate) == range(6200, 6300));
}

TEST_CASE_FIXTURE(Comparison, "an area of either run as a filter is the same area in its own run") {
    open_candidate();
    for (const Side side : kSides) {
        const RunTime zero = session.run(side)->origin();
        const RunRange area{zero + Duration{120}, zero + Duration{170}};
        Filter made;
        made.terms.push_back({false, session.time_term(side, area)});
        session.set_filter(made);
        session.update();
        CHECK(times(side) == area);
    }
}

TEST_CASE("a filter's times given for one run keep their moments when a candidate opens, in one undo step") {
    const Folder first;
    const Folder second;
    first.write_rank(0);
    std::ofstream(second.path / "rank0.json")
        << R"({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [)"
        << R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 1, "tid": 1, "ts": 7, "dur": 9},)"
        << R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 3}]})";
    SessionWithSteps session(1);
    session.open({second.path});
    settle(session);
    session.set_filter(*parse_filter("time:1us..7us"));
    const RunRange before = session.filter(Side::Baseline).time_range(*session.run()).value();
    session.open({second.path}, Side::Candidate);
    CHECK(format_filter(session.filter()) == "time:+1us..+7us");
    while (!session.load(Side::Candidate)->finished()) session.update();
    session.update();
    REQUIRE(session.alignment());
    CHECK(session.alignment()->anchor_steps == BySide<std::int64_t>{4, 4});
    CHECK(format_filter(session.filter()) == "time:-5us..+1us");
    CHECK(session.filter(Side::Baseline).time_range(*session.run()).value() == before);
    session.undo();
    session.update();
    CHECK_FALSE(session.comparing());
    CHECK(format_filter(session.filter()) == "time:+1us..+7us");
    session.redo();
    session.update();
    CHECK(format_filter(session.filter()) == "time:-5us..+1us");
}

TEST_CASE("times given before the runs have loaded are relative to the moment they are aligned at") {
    const Folder folder;
    std::ofstream(folder.path / "rank0.json")
        << R"({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [)"
        << R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 1, "tid": 1, "ts": 7, "dur": 9},)"
        << R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 3}]})";
    SessionWithSteps session(1);
    session.open({folder.path});
    session.open({folder.path}, Side::Candidate);
    session.set_filter(*parse_filter("time:0us..2us"));
    while (!session.load()->finished() || !session.load(Side::Candidate)->finished()) session.update();
    session.update();
    CHECK(format_filter(session.filter()) == "time:+0ns..+2us");
    CHECK(session.filter(Side::Baseline).time_range(*session.run()).value().begin ==
          session.run()->origin() + Duration{6000});
}

TEST_CASE("name pairing can be undone, and is reversed when the runs are swapped") {
    using core::testing::run_of;
    using core::testing::TraceFixture;
    SessionWithSteps session(1);
    session.set_run(run_of({TraceFixture().kernel(0, 1, "a").build()}));
    session.set_run(run_of({TraceFixture().kernel(0, 1, "b").build()}), Side::Candidate);
    session.set_names({NameMatching::Operator, {{"a", "b"}}});
    CHECK(session.names_by().matching == NameMatching::Operator);
    session.swap_runs();
    CHECK(session.names_by().pairs == std::vector<NamePair>{{"b", "a"}});
    session.undo();
    session.undo();
    CHECK(session.names_by() == NameRules{});
}

namespace {

core::Marks marks_at(std::int64_t ns, std::string note = {}) {
    core::Marks marks;
    core::keep_mark(marks, core::RunRange{core::run_time(ns), core::run_time(ns)});
    marks.kept.front().note.text = std::move(note);
    return marks;
}

}  // namespace

TEST_CASE_FIXTURE(Comparison, "marks are undo steps, swap with the runs and start empty with a new run") {
    using Both = core::BySide<core::Marks>;
    const auto marks = [&] { return Both{session.marks(Side::Baseline), session.marks(Side::Candidate)}; };
    open_candidate();
    session.restore_marks(Side::Baseline, marks_at(1));
    session.restore_marks(Side::Candidate, marks_at(2));
    CHECK(marks() == Both{marks_at(1), marks_at(2)});
    session.set_marks(Side::Baseline, marks_at(3));
    session.set_marks(Side::Baseline, marks_at(4));
    session.undo();
    CHECK(marks() == Both{marks_at(3), marks_at(2)});
    session.swap_runs();
    CHECK(marks() == Both{marks_at(2), marks_at(3)});
    session.undo();
    CHECK(marks() == Both{marks_at(3), marks_at(2)});
    session.close(Side::Candidate);
    CHECK(marks() == Both{marks_at(3), {}});
    session.undo();
    session.undo();
    CHECK(marks() == Both{marks_at(1), marks_at(2)});
    session.redo();
    CHECK(marks() == Both{marks_at(3), marks_at(2)});
}

TEST_CASE_FIXTURE(Comparison, "a note that is typed is one step until another step comes between") {
    session.set_marks(Side::Baseline, marks_at(1));
    for (const char* typed : {"l", "la", "lat", "late"}) session.set_marks(Side::Baseline, marks_at(1, typed));
    session.undo();
    CHECK(session.marks(Side::Baseline) == marks_at(1));
    session.redo();
    CHECK(session.marks(Side::Baseline) == marks_at(1, "late"));
    session.set_filter(*core::parse_filter("rank:1"));
    session.set_marks(Side::Baseline, marks_at(1, "later"));
    session.undo();
    CHECK(session.marks(Side::Baseline) == marks_at(1, "late"));
    CHECK_FALSE(session.filter().empty());
}

TEST_CASE("a run that is opened again has the marks it had, another one has none") {
    SessionWithSteps session(1);
    session.open({"/nowhere/first"});
    session.set_marks(Side::Baseline, marks_at(1));
    session.open({"/nowhere/second"});
    CHECK(session.marks(Side::Baseline).empty());
    session.set_marks(Side::Baseline, marks_at(2));
    session.open({"/nowhere/first"});
    CHECK(session.marks(Side::Baseline) == marks_at(1));
    session.set_marks(Side::Baseline, {});
    session.open({"/nowhere/second"});
    CHECK(session.marks(Side::Baseline) == marks_at(2));
    session.open({"/nowhere/first"});
    CHECK(session.marks(Side::Baseline).empty());
}
