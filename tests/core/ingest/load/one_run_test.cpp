// A folder with everything a job writes: traces, dumps of the flight recorder, memory snapshots and logs of NCCL.

#include "core/analysis/collectives/nccl_choices.hpp"
#include "core/store/flight_names.hpp"
#include "core/store/memory_names.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/flight_recorder/flight_fixture.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/ingest/memory_snapshot/snapshot_fixture.hpp"
#include "tests/core/ingest/nccl/nccl_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

// One all-reduce of 1024 floats at 1 s.
std::string kineto_rank(int rank, int process) {
    return R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
           R"(, "world_size": 2}, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [)"
           R"({"ph": "X", "cat": "cpu_op", "name": "step", "pid": )" +
           std::to_string(process) +
           R"(, "tid": 1, "ts": 1000, "dur": 50},)"
           R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 7,)"
           R"( "ts": 1100, "dur": 30, "args": {"device": 0, "stream": 7, "Collective name": "allreduce",)"
           R"( "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Group size": 2,)"
           R"( "In msg nelems": 1024, "Out msg nelems": 1024, "Seq": 1}}]})";
}

std::string log_of(int rank, int process) {
    const NcclProcess at{.process = process, .device = rank};
    return start_line(at, {.rank = rank, .size = 2}) + call_line(at, "AllReduce", 1024) +
           (rank == 0 ? choice_line(at, "AllReduce", 4096) : "");
}

RunPtr open_all(const ScratchFolder& folder) {
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE_MESSAGE(run.has_value(), (run ? "" : run.error().message));
    return *run;
}

EventRef find_kernel(const Run& run, int number) {
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot)
        if (run.rank(slot).key == RankKey{number, 0} && !run.rank(slot).trace().gpu_events.empty())
            return {slot, run.rank(slot).trace().gpu_events.front()};
    FAIL("no kernel");
    return {};
}

}  // namespace

TEST_CASE("traces, dumps, snapshots and logs of one job open as one run") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 2; ++rank) {
        const std::string number = std::to_string(rank);
        folder.write("traces/rank" + number + "_trace.json", kineto_rank(rank, 100 + rank));
        folder.write("comm_traces/rank_" + number, pickled(FlightFixture()
                                                               .group("0", "[0, 1]")
                                                               .call({.number = 1, .state = "completed"})
                                                               .call({.number = 2, .at = 100})
                                                               .build()));
        folder.write("memory_snapshot/step_000000000010/00000" + number + "_step_10.pickle",
                     pickled(SnapshotFixture().segment(4096, 1 << 20).alloc(4096, 512, "forward").build()));
        folder.write("nccl.node1.10" + number, log_of(rank, 100 + rank));
    }
    folder.write("inspector/node1-pid101.log", inspector_line(1, 1'700'000'000'001'100));
    const RunPtr run = open_all(folder);
    std::map<std::string, std::vector<std::int32_t>> ranks;
    for (const RankSlot& rank : run->ranks()) {
        const RankInfo& info = rank.trace().info;
        ranks[is_flight_dump(info) || is_memory_snapshot(info) || is_nccl_source(info.trace_name) ? info.trace_name
                                                                                                  : "trace"]
            .push_back(rank.key.number);
    }
    using Numbers = std::vector<std::int32_t>;
    CHECK(ranks == std::map<std::string, Numbers>{{"trace", {0, 1}},
                                                  {std::string(kFlightRecorderTrace), {0, 1}},
                                                  {std::string(kMemorySnapshotTrace), {0, 1}},
                                                  {std::string(kNcclInspector), {1}}});
    REQUIRE(run->companions().size() == 2);
    for (const Companion& log : run->companions())
        CHECK(log.rank == static_cast<int>(log.trace().info.nccl.process) - 100);
    CHECK(run->diagnostics().count("rank-guessed") == 0);
    CHECK(run->diagnostics().count("not-a-trace") == 0);
    for (const int rank : {0, 1}) {
        const std::optional<NcclChoice> choice = find_nccl_choice(*run, find_kernel(*run, rank));
        REQUIRE(choice.has_value());
        CHECK(choice->text() == "RING LL128");
    }
    CHECK(answer_of(*run, "hangs").find("groups")->rows() == 1);
    CHECK(answer_of(*run, "memory-snapshot").main().rows() == 2);
    CHECK(answer_of(*run, "nccl").find("communicators")->rows() == 3);
}

TEST_CASE("a log of a communicator smaller than the job is placed by its process") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 2; ++rank)
        folder.write("rank" + std::to_string(rank) + ".json", kineto_rank(rank, 100 + rank));
    // Rank 1 of the job is rank 0 of its own communicator.
    folder.write("nccl.node1.101", start_line({.process = 101}, {.rank = 0, .size = 1}));
    folder.write("nccl.node1.999", start_line({.process = 999}, {.rank = 0, .size = 1}));
    const RunPtr run = open_all(folder);
    CHECK(run->ranks().size() == 2);
    REQUIRE(run->companions().size() == 2);
    for (const Companion& log : run->companions()) {
        const bool known = log.trace().info.nccl.process == 101;
        CHECK(log.rank == (known ? std::optional(1) : std::nullopt));
    }
    CHECK(run->diagnostics().count("nccl-rank-unknown") == 1);
}

TEST_CASE("a log alone opens as its ranks, without events, and its tables are there") {
    const ScratchFolder folder;
    folder.write("job.out", log_of(1, 101) + log_of(0, 100));
    const RunPtr run = open_all(folder);
    REQUIRE(run->ranks().size() == 2);
    CHECK(run->companions().empty());
    CHECK(run->event_count() == 0);
    const Answer answer = answer_of(*run, "nccl");
    CHECK(answer.main().rows() == 3);  // calls of each, and the choice of rank 0
    CHECK(answer.find("communicators")->rows() == 2);
    CHECK(answer_of(*run, "bandwidth").main().rows() == 0);
}
