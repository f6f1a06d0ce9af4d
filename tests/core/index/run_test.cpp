#include "core/index/run.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <thread>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

TEST_CASE("a run sorts its ranks, spans all events and has a unique id") {
    const RankTracePtr a = TraceFixture().rank(3).cpu(100, 50, "a").build();
    const RankTracePtr b = TraceFixture().rank(1).cpu(20, 30, "b").kernel(140, 60, "k").build();
    const RunPtr run = run_of({a, b});
    REQUIRE(run->ranks().size() == 2);
    CHECK(run->rank(0).key.number == 1);
    CHECK(run->rank(1).key.number == 3);
    CHECK(run->window() == RunRange{run_time(20), run_time(200)});
    CHECK(run->origin() == run_time(20));
    CHECK(run->event_count() == 3);
    const Run next(run->parts());
    CHECK(next.id() > run->id());
}

TEST_CASE("the window of a run is in run time and ignores ranks without events") {
    RunParts parts = run_of({TraceFixture().cpu(100, 50, "a").build(), TraceFixture().build()})->parts();
    parts.ranks[0].clock.offset = Duration{1'000};
    const Run run(parts);
    CHECK(run.window() == RunRange{run_time(1'100), run_time(1'150)});
    CHECK(Run(RunParts{}).window() == RunRange{});
}

TEST_CASE("diagnostics of a run include those of its ranks, with the file's name") {
    TraceFixture fixture;
    fixture.info().path = "/traces/rank3.json.gz";
    fixture.batch().diagnostics.add("event-dropped", "byte 12: no closing brace");
    RunParts parts = run_of({fixture.cpu(0, 1, "a").build()})->parts();
    parts.diagnostics.add("not-a-trace", "notes.txt");
    const Diagnostics all = Run(parts).all_diagnostics();
    CHECK(all.count("event-dropped") == 1);
    CHECK(all.count("not-a-trace") == 1);
    CHECK(all.entries()[0].first == "rank3.json.gz: byte 12: no closing brace");
}

TEST_CASE("rank keys print with their capture and keep their order when packed") {
    CHECK(format_rank({3, 0}) == "3");
    CHECK(format_rank({3, 1}) ==
          "3\xc2\xb7"
          "b");
    CHECK(format_rank({12, 25}) == "12\xc2\xb7z");
    CHECK(format_rank({12, 26}) ==
          "12\xc2\xb7"
          "aa");
    for (const RankKey key : {RankKey{0, 0}, RankKey{3, 1}, RankKey{-1, 5}, RankKey{100'000, 1023}}) {
        CHECK(RankKey::unpacked(key.packed()) == key);
    }
    CHECK(RankKey{3, 1}.packed() < RankKey{4, 0}.packed());
}

TEST_CASE("a clock map without drift is exact, and with drift it is reversible within a nanosecond") {
    const ClockMap shifted{Duration{-123}, 0, {}};
    CHECK(shifted.to_run(rank_time(1'000)) == run_time(877));
    CHECK(shifted.to_rank(run_time(877)) == rank_time(1'000));
    std::mt19937_64 random(1);
    for (int i = 0; i < 1'000; ++i) {
        const std::int64_t reference = 1'700'000'000'000'000'000;
        const ClockMap map{Duration{static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000},
                           (static_cast<double>(random() % 2'000) - 1'000) * 1e-7, rank_time(reference)};
        const RankTime t = rank_time(reference + static_cast<std::int64_t>(random() % 10'000'000'000));
        CHECK(std::abs((map.to_rank(map.to_run(t)) - t).count()) <= 1);
    }
    const ClockMap far{Duration{10}, 1e-3, {}};
    CHECK(far.to_run(RankTime::max()) == RunTime::max());
    CHECK(far.to_rank(RunTime::min()) <= rank_time(-9'000'000'000'000'000'000));
}

TEST_CASE("a run converts times of events and ranges to its own clock and back") {
    RunParts parts = run_of({TraceFixture().rank(0).cpu(100, 50, "a").build(),
                             TraceFixture().rank(1).cpu(100, 50, "b").cpu(1'000'100, 50, "c").build()})
                         ->parts();
    parts.ranks[1].clock = ClockMap{.offset = Duration{1'000}, .drift = 1e-3, .reference = rank_time(100)};
    const Run run(parts);
    CHECK(run.start_of({0, EventId{0}}) == run_time(100));
    CHECK(run.range_of({0, EventId{0}}) == RunRange{run_time(100), run_time(150)});
    CHECK(run.start_of({1, EventId{1}}) == run_time(1'002'100));
    CHECK(run.range_of({1, EventId{1}}) == RunRange{run_time(1'002'100), run_time(1'002'150)});
    const RankSlot& drifts = run.rank(1);
    CHECK(drifts.range_of(EventId{0}) == RunRange{run_time(1'100), run_time(1'150)});
    CHECK(drifts.to_run(RankRange{rank_time(100), rank_time(1'000'100)}) ==
          RunRange{run_time(1'100), run_time(1'002'100)});
    CHECK(drifts.to_rank(RunRange{run_time(1'100), run_time(1'002'100)}) ==
          RankRange{rank_time(100), rank_time(1'000'100)});
    CHECK(drifts.to_rank_length(1'001) == doctest::Approx(1'000));
}

TEST_CASE("equal names are equal across ranks and keep their text") {
    InternedNames names;
    const InternedName gemm = names.intern("gemm");
    CHECK(names.intern("gemm") == gemm);
    CHECK(names.intern("relu") != gemm);
    const std::string_view text = names.text(gemm);
    for (int i = 0; i < 10'000; ++i) names.intern("name " + std::to_string(i));
    CHECK(text == "gemm");
    CHECK(names.text(gemm).data() == text.data());
    const RankTracePtr a = TraceFixture().cpu(0, 1, "gemm").build();
    const RankTracePtr b = TraceFixture().cpu(0, 1, "relu").cpu(2, 1, "gemm").build();
    const auto table_a = names.build_table(a->names);
    const auto table_b = names.build_table(b->names);
    CHECK((*table_a)[index_of(a->name[0])] == gemm);
    CHECK((*table_b)[index_of(b->name[1])] == gemm);
    CHECK(names.build_table(b->names) == table_b);  // ranks of the same names share one table
}

TEST_CASE("names can be interned from several threads") {
    InternedNames names;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&names] {
            for (int i = 0; i < 2'000; ++i) names.intern("name " + std::to_string(i));
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(index_of(names.intern("one more")) == 2'000);
}
