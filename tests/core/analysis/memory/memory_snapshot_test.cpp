#include "core/analysis/memory/device_memory.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/ingest/memory_snapshot/snapshot_fixture.hpp"
#include "tests/core/trace_fixture.hpp"

#include <random>

using namespace core;
using namespace core::testing;

namespace {

RunPtr run_of_snapshot(const SnapshotFixture& fixture) {
    const Result<RankTracePtr> trace = load_text(pickled(fixture.build()), "memory_rank3.pickle");
    REQUIRE_MESSAGE(trace.has_value(), (trace ? "" : trace.error().message));
    return run_of({*trace});
}

Rows rows_of_table(const RunPtr& run, std::string_view id, std::string_view table, const GivenParams& params = {}) {
    const Answer answer = answer_of(*run, id, "", params);
    const Table* const found = answer.find(table);
    REQUIRE(found != nullptr);
    return rows_of(*found);
}

SnapshotFixture training() {
    SnapshotFixture fixture;
    fixture.segment(0x100000, 8192).older(0x100000, 1000, "load");
    fixture.give_segment(0x200000, 4096, true);
    fixture.alloc(0x200000, 700, "forward").alloc(0x200400, 600, "forward").alloc(0x100400, 5000, "backward");
    fixture.free(0x100400).free(0x200000).alloc(0x200000, 100, "leak").alloc(0x200200, 100, "leak");
    return fixture;
}

}  // namespace

TEST_CASE("totals of a device: at the beginning, at the peak, in the snapshot") {
    CHECK(rows_of_table(run_of_snapshot(training()), "memory-snapshot", "main") ==
          Rows{"0 GPU 0 5 2 1000 7300 30000 1800 12288 12288 1272 0"});
}

TEST_CASE("what is in use at the peak, by the innermost frame of own code") {
    const RunPtr run = run_of_snapshot(training());
    CHECK(rows_of_table(run, "memory-peak", "main") == Rows{"0 GPU 0 backward (model.py:5) 5000 0.684932 1 5000 30000",
                                                            "0 GPU 0 forward (model.py:5) 1300 0.178082 2 700 10000",
                                                            "0 GPU 0 load (model.py:5) 1000 0.136986 1 1000 -"});
    CHECK(rows_of_table(run, "memory-peak", "main", {{"at", "end"}}) ==
          Rows{"0 GPU 0 load (model.py:5) 1000 0.555556 1 1000 -",
               "0 GPU 0 forward (model.py:5) 600 0.333333 1 600 20000",
               "0 GPU 0 leak (model.py:5) 200 0.111111 2 100 80000"});
}

TEST_CASE("sites that never free are suspects") {
    CHECK(rows_of_table(run_of_snapshot(training()), "memory-snapshot", "outliving") ==
          Rows{"0 GPU 0 forward (model.py:5) 600 1 2 1 20000 20000 no",
               "0 GPU 0 leak (model.py:5) 200 2 2 0 80000 90000 yes"});
}

TEST_CASE("fragmentation compares the largest free block with all that is free, by pool") {
    CHECK(rows_of_table(run_of_snapshot(training()), "memory-fragmentation", "main") ==
          Rows{"0 GPU 0 large 1 8192 1024 1000 7168 1 7168 0.000000 0",
               "0 GPU 0 small 1 4096 2048 800 2048 1 2048 0.000000 0"});
}

TEST_CASE("a failed allocation is explained by the holes there were at that moment") {
    SnapshotFixture fixture;
    fixture.give_segment(0x100000, 4096);
    fixture.alloc(0x100000, 1024, "a").alloc(0x100400, 1024, "b").alloc(0x100800, 1024, "c").free(0x100400);
    fixture.out_of_memory(2048, 77).out_of_memory(1000, 77).out_of_memory(5000, 77);
    fixture.give_segment(0x200000, 8192).free(0x100000);
    const Rows rows = rows_of_table(run_of_snapshot(fixture), "memory-snapshot", "out_of_memory");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].starts_with("0 GPU 0 60000 2048 77 2048 4096 2048 1024 too_much (model.py:5) enough is reserved"));
    CHECK(rows[1].find("a hole is large enough") != std::string::npos);
    CHECK(rows[2].find("not enough is free") != std::string::npos);
}

TEST_CASE("holes of an expandable segment cross pieces that were unmapped later") {
    SnapshotFixture fixture;
    fixture.expandable().map(0x100000, 4096).alloc(0x100000, 2048, "a").map(0x101000, 6144).alloc(0x102400, 1024, "b");
    fixture.out_of_memory(6000, 77).out_of_memory(7000, 77).alloc(0x101800, 512, "c").out_of_memory(6000, 77);
    fixture.free(0x101800).unmap(0x101000, 4096);
    fixture.segment(0x100000, 4096).segment(0x102000, 2048);
    const Rows rows = rows_of_table(run_of_snapshot(fixture), "memory-snapshot", "out_of_memory");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0] ==
          "0 GPU 0 40000 6000 77 3072 10240 7168 7168 too_much (model.py:5) "
          "a hole is large enough: it is of another stream or pool");
    CHECK(rows[1].find(" 7168 7168 too_much (model.py:5) a hole is large enough") != std::string::npos);
    CHECK(rows[2].find(" 6656 4096 too_much (model.py:5) enough is reserved and free, but in pieces, although segments "
                       "are expandable") != std::string::npos);
}

TEST_CASE("pieces that touch are one hole only if they are expandable") {
    SnapshotFixture fixture;
    fixture.segment(0x100000, 4096).segment(0x101000, 4096).out_of_memory(6000, 77);
    const Rows rows = rows_of_table(run_of_snapshot(fixture), "memory-snapshot", "out_of_memory");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].find(" 0 8192 8192 4096 too_much (model.py:5) enough is reserved and free, but in pieces: "
                       "fragmentation (expandable_segments:True helps)") != std::string::npos);
}

TEST_CASE("a history that begins at the peak has its peak at the beginning, with the blocks in use then") {
    SnapshotFixture fixture;
    fixture.segment(0x100000, 8192).older(0x100000, 5000, "load").older(0x101400, 1000, "load");
    fixture.free(0x100000).alloc(0x100000, 200, "forward");
    const RunPtr run = run_of_snapshot(fixture);
    CHECK(rows_of_table(run, "memory-snapshot", "main") == Rows{"0 GPU 0 1 1 6000 6000 0 1200 8192 8192 336 0"});
    CHECK(rows_of_table(run, "memory-peak", "main") ==
          Rows{"0 GPU 0 (allocated before the history) 5000 0.833333 1 5000 -",
               "0 GPU 0 load (model.py:5) 1000 0.166667 1 1000 -"});
}

TEST_CASE("the peak within a time filter counts what was in use before it") {
    const Answer answer = answer_of(*run_of_snapshot(training()), "memory-snapshot", "time:55us..75us");
    const Rows rows = rows_of(answer.main());
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].starts_with("0 GPU 0 0 1 1000 2300 "));
}

TEST_CASE("what the allocator held at most counts segments, at the beginning and without any allocation") {
    SnapshotFixture returned;
    returned.segment(0x100000, 8192).older(0x100000, 1000, "load").segment(0x200000, 40960).return_segment(0x200000);
    CHECK(rows_of_table(run_of_snapshot(returned), "memory-snapshot", "main") ==
          Rows{"0 GPU 0 0 0 1000 1000 0 1000 49152 8192 24 0"});
    SnapshotFixture passing;
    passing.segment(0x100000, 8192).older(0x100000, 1000, "load").alloc(0x100400, 500, "forward");
    passing.give_segment(0x200000, 40960).return_segment(0x200000);
    CHECK(rows_of_table(run_of_snapshot(passing), "memory-snapshot", "main") ==
          Rows{"0 GPU 0 1 0 1000 1500 0 1500 49152 8192 36 0"});
}

TEST_CASE("free memory of a private pool or of another stream is of a pool of its own") {
    SnapshotFixture fixture;
    fixture.segment(0x100000, 2048).in_pool({0, 1}).segment(0x200000, 8192).in_pool({0, 0}, 77);
    fixture.segment(0x300000, 4096).segment(0x400000, 512).alloc(0x400000, 512, "forward");
    CHECK(rows_of_table(run_of_snapshot(fixture), "memory-fragmentation", "main") ==
          Rows{"0 GPU 0 large 1 2048 0 0 2048 1 2048 0.000000 2048",
               "0 GPU 0 large, stream 77 2 4608 512 512 4096 1 4096 0.000000 4096",
               "0 GPU 0 large, private pool 0.1 1 8192 0 0 8192 1 8192 0.000000 8192"});
}

TEST_CASE("a snapshot without requested sizes has them from the history of its blocks, or no rounding") {
    const auto run_of_old = [](bool has_history) {
        nlohmann::json snapshot = SnapshotFixture().segment(0x1000, 4096).older(0x1000, 600, "load").build();
        nlohmann::json& block = snapshot["segments"][0]["blocks"][0];
        block.erase("requested_size");
        if (has_history)
            block["history"] = nlohmann::json::array({{{"real_size", 600}, {"frames", std::move(block["frames"])}}});
        block.erase("frames");
        const Result<RankTracePtr> trace = load_text(pickled(snapshot), "memory_rank3.pickle");
        REQUIRE(trace.has_value());
        return run_of({*trace});
    };
    const RunPtr with = run_of_old(true), without = run_of_old(false);
    CHECK(rows_of_table(with, "memory-snapshot", "main") == Rows{"0 GPU 0 0 0 600 - - 600 - 4096 424 0"});
    CHECK(rows_of_table(with, "memory-peak", "main") == Rows{"0 GPU 0 load (model.py:5) 600 1.000000 1 600 -"});
    CHECK(rows_of_table(without, "memory-snapshot", "main") == Rows{"0 GPU 0 0 0 1024 - - 1024 - 4096 - 0"});
    CHECK(rows_of_table(without, "memory-fragmentation", "main") ==
          Rows{"0 GPU 0 large 1 4096 1024 - 3072 1 3072 0.000000 0"});
    const std::vector<Excluded> excluded = answer_of(*without, "memory-snapshot").excluded;
    REQUIRE(excluded.size() == 1);
    CHECK(excluded[0].count == 1);
}

TEST_CASE("a snapshot without times tells none") {
    SnapshotFixture fixture = training();
    const RunPtr run = run_of_snapshot(fixture.without_times());
    CHECK(rows_of_table(run, "memory-snapshot", "main") == Rows{"0 GPU 0 5 2 1000 7300 - 1800 12288 12288 1272 0"});
    CHECK(rows_of_table(run, "memory-snapshot", "outliving") ==
          Rows{"0 GPU 0 forward (model.py:5) 600 1 2 1 - - no", "0 GPU 0 leak (model.py:5) 200 2 2 0 - - yes"});
    CHECK(rows_of_table(run, "memory-peak", "main")[0] == "0 GPU 0 backward (model.py:5) 5000 0.684932 1 5000 -");
}

TEST_CASE("what is in use after every change is what a map of addresses says, on random histories") {
    std::mt19937 random(5);
    for (int round = 0; round < 30; ++round) {
        SnapshotFixture fixture;
        fixture.segment(0, 1 << 20);
        std::map<std::int64_t, std::int64_t> live;
        std::vector<std::map<std::int64_t, std::int64_t>> truth;
        for (std::int64_t i = 0; i < 10; ++i) {
            if (random() % 2 == 0) continue;
            live[i * 1024] = 100 + i;
            fixture.older(i * 1024, 100 + i, "old");
        }
        truth.push_back(live);
        for (int step = 0; step < 40; ++step) {
            const std::int64_t address = static_cast<std::int64_t>(random() % 20) * 1024;
            if (live.contains(address)) {
                fixture.free(address);
                live.erase(address);
            } else {
                live[address] = 1 + static_cast<std::int64_t>(random() % 1000);
                fixture.alloc(address, live[address], "new");
            }
            truth.push_back(live);
        }
        const RunPtr run = run_of_snapshot(fixture);
        const Filter filter;
        const Result<RankView> view = build_rank_view(*run, 0, filter, {});
        REQUIRE(view.has_value());
        const auto devices = collect_device_memory(*view, JobContext{});
        REQUIRE(devices.has_value());
        const DeviceMemory& memory = devices->at(0);
        for (std::size_t count = 0; count <= memory.changes.size(); ++count) {
            std::map<std::int64_t, std::int64_t> found;
            for (const auto& [address, allocation] : find_live(view->trace(), memory, count))
                found[address] = allocation.bytes;
            CHECK(found == truth[count]);
        }
    }
}

TEST_CASE("a GPU that ran out of memory is the first finding, at its moment and with its numbers") {
    SnapshotFixture fixture = training();
    fixture.out_of_memory(1 << 20, 4096).out_of_memory(1 << 10, 4096);
    const RunPtr run = run_of_snapshot(fixture);
    const Answer answer = answer_of(*run, "findings");
    REQUIRE(answer.main().rows() == 1);
    const auto text = [&](std::string_view column) {
        return std::string(answer.main().text(0, answer.main().find_column(column)));
    };
    CHECK(text("finding") == "out-of-memory");
    CHECK(text("severity") == "high");
    CHECK(answer.main().absent(0, answer.main().find_column("gain")));
    CHECK(text("evidence") ==
          "GPU 0: at 100 \u00B5s a request for 1.00 MiB failed with 1.76 KiB in use and 12.0 KiB reserved, 4.00 KiB "
          "left on "
          "the device; not enough is free, however it lies: less has to be in use; asked for in too_much (model.py:5); "
          "55.6 % of what is in use (1,000 B) allocated in load (model.py:5); the first of 2 that failed");
    CHECK(answer.main().integer(0, answer.main().find_column("begin")) == 100'000);
    CHECK(answer.marks.size() == 2);
    const Table* const kinds = answer.find("kinds");
    REQUIRE(kinds != nullptr);
    CHECK(kinds->text(0, kinds->find_column("sentence")).starts_with("A GPU ran out of memory: GPU 0: at 100"));
    CHECK(answer_of(*run_of_snapshot(training()), "findings").main().rows() == 0);
}
