#include "core/ingest/nccl/nccl_log.hpp"

#include "tests/core/ingest/load/malformed_fixture.hpp"
#include "tests/core/ingest/nccl/nccl_fixture.hpp"
#include "tests/corpus.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

RunPtr load_log(const std::string& text, std::string_view name = "nccl.node1.100") {
    const ScratchFolder folder;
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.write(name, text)}, {}, progress, JobContext{});
    REQUIRE_MESSAGE(run.has_value(), (run ? "" : run.error().message));
    return *run;
}

const NcclFacts& facts_of(const Run& run, std::size_t slot = 0) { return run.rank(slot).trace().info.nccl; }

std::vector<std::string> rows_of(const NcclFacts& facts) {
    std::vector<std::string> rows;
    for (const NcclCalls& calls : facts.calls)
        rows.push_back(format_nccl_id(calls.communicator) + " " + calls.operation + " " + std::to_string(calls.bytes) +
                       " " + calls.algorithm + " " + calls.protocol + " " + std::to_string(calls.first_channel) + ".." +
                       std::to_string(calls.last_channel) + " x" + std::to_string(calls.count));
    return rows;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("a log tells communicators, calls and choices, and has no events") {
    const NcclProcess process;
    const RunPtr run = load_log(process.prefix() + "NCCL version 2.27.7+cuda13.0\n" +
                                start_line(process, {.rank = 0, .size = 2, .state = "START"}) + process.prefix() +
                                "24 coll channels, 24 collnet channels, 0 nvls channels, 32 p2p channels\n" +
                                start_line(process, {.rank = 0, .size = 2}) + "loss 0.25\n" +
                                call_line(process, "AllReduce", 1024) + choice_line(process, "AllReduce", 4096) +
                                call_line(process, "AllReduce", 1024) + choice_line(process, "AllReduce", 4096) +
                                call_line(process, "AllGather", 8) + call_line(process, "AllToAll", 8));
    REQUIRE(run->ranks().size() == 1);
    const RankTrace& trace = run->rank(0).trace();
    CHECK(trace.size() == 0);
    CHECK(trace.info.rank == 0);
    CHECK(trace.info.host == "node1");
    CHECK(trace.info.trace_name == kNcclLog);
    const NcclFacts& facts = trace.info.nccl;
    CHECK(facts.process == 100);
    CHECK(facts.version == "2.27.7+cuda13.0");
    REQUIRE(facts.communicators.size() == 1);
    CHECK(facts.communicators[0] == NcclCommunicator{.id = 0x54fe282d32a87d85,
                                                     .name = {},
                                                     .rank = 0,
                                                     .size = 2,
                                                     .device = 0,
                                                     .bus = "17000",
                                                     .channels = 24,
                                                     .is_complete = 1});
    // All data of an all-gather; an operation whose counts are per partner has no size.
    CHECK(rows_of(facts) ==
          Rows{"0x54fe282d32a87d85 AllReduce 4096   -1..-1 x2", "0x54fe282d32a87d85 AllReduce 4096 RING LL128 0..23 x2",
               "0x54fe282d32a87d85 AllGather 64   -1..-1 x1", "0x54fe282d32a87d85 AllToAll -1   -1..-1 x1"});
    CHECK(trace.diagnostics.empty());
}

TEST_CASE("a choice belongs to the communicator of the thread's last calls that the process is rank 0 of") {
    const NcclProcess process;
    const std::string two = start_line(process, {.address = "0xa0", .rank = 0, .size = 4, .id = "0x11"}) +
                            start_line(process, {.address = "0xb0", .rank = 0, .size = 2, .id = "0x22"}) +
                            start_line(process, {.address = "0xc0", .rank = 1, .size = 2, .id = "0x33"});
    SUBCASE("one of them was called") {
        const RunPtr run = load_log(two + call_line(process, "AllReduce", 4, "0xb0") +
                                    call_line(process, "AllReduce", 4, "0xc0") + choice_line(process, "AllReduce", 16));
        CHECK(rows_of(facts_of(*run)).back() == "0x22 AllReduce 16 RING LL128 0..23 x1");
    }
    SUBCASE("two of them were called: undecided") {
        const RunPtr run = load_log(two + call_line(process, "AllReduce", 4, "0xa0") +
                                    call_line(process, "AllReduce", 4, "0xb0") + choice_line(process, "AllReduce", 16));
        CHECK(rows_of(facts_of(*run)).back() == "0x0 AllReduce 16 RING LL128 0..23 x1");
    }
    SUBCASE("calls before an earlier choice do not count") {
        const RunPtr run =
            load_log(two + call_line(process, "AllReduce", 4, "0xa0") + choice_line(process, "AllReduce", 16) +
                     call_line(process, "AllReduce", 4, "0xb0") + choice_line(process, "AllReduce", 16));
        CHECK(rows_of(facts_of(*run)).back() == "0x22 AllReduce 16 RING LL128 0..23 x1");
    }
    SUBCASE("no calls in the log: undecided with two, plain with one") {
        CHECK(rows_of(facts_of(*load_log(two + choice_line(process, "AllReduce", 16)))) ==
              Rows{"0x0 AllReduce 16 RING LL128 0..23 x1"});
        const std::string one = start_line(process, {.rank = 0, .size = 4, .id = "0x11"});
        CHECK(rows_of(facts_of(*load_log(one + choice_line(process, "AllReduce", 16, "Algo 1 proto 2 time 14.3")))) ==
              Rows{"0x11 AllReduce 16 RING SIMPLE -1..-1 x1"});
    }
}

TEST_CASE("warnings keep their times, places and number; output that runs into a line does not change its host") {
    const NcclProcess process;
    const std::string warning =
        "\n[2026-01-02 03:04:05] node1:100:107 [0] transport.cc:42 (p2pSetup) NCCL WARN Cuda failure 'out of memory'\n";
    const RunPtr run = load_log(start_line(process, {.size = 2}) + warning + warning + "    746.3  179.84  0" +
                                call_line(process, "AllReduce", 4));
    REQUIRE(run->ranks().size() == 1);
    const NcclFacts& facts = facts_of(*run);
    REQUIRE(facts.warnings.size() == 1);
    CHECK(facts.warnings[0] == NcclWarning{.time = "2026-01-02 03:04:05",
                                           .place = "transport.cc:42 (p2pSetup)",
                                           .text = "Cuda failure 'out of memory'",
                                           .count = 2});
    CHECK(rows_of(facts) == Rows{"0x54fe282d32a87d85 AllReduce 16   -1..-1 x1"});
}

TEST_CASE("a warning of a process that has said only its version makes a rank of that process") {
    const NcclProcess process;
    const RunPtr run = load_log(process.prefix() + "NCCL version 2.27.7+cuda13.0\n" +
                                "node1:100:100 [0] init.cc:10 NCCL WARN no network\n");
    REQUIRE(run->ranks().size() == 1);
    CHECK(facts_of(*run).version == "2.27.7+cuda13.0");
    REQUIRE(facts_of(*run).warnings.size() == 1);
    CHECK(facts_of(*run).warnings[0].text == "no network");
}

TEST_CASE("what a log says is the same when it opens from its index file") {
    const NcclProcess process;
    const ScratchFolder folder;
    const auto file = folder.write(
        "nccl.node1.100", start_line(process, {.size = 2}) + call_line(process, "AllReduce", 4) +
                              choice_line(process, "AllReduce", 16) + "node1:100:1 [0] a.cc:1 NCCL WARN low\n");
    LoadOptions options;
    options.index_files = IndexFiles::Use;
    LoadProgress first, second;
    const Result<RunPtr> read = load_run(std::vector{file}, options, first, JobContext{});
    const Result<RunPtr> again = load_run(std::vector{file}, options, second, JobContext{});
    REQUIRE(read.has_value());
    REQUIRE(again.has_value());
    CHECK(second.ranks_from_index == 1);
    CHECK(facts_of(**read).warnings.size() == 1);
    CHECK(facts_of(**read) == facts_of(**again));
    CHECK((*again)->rank(0).trace().info.host == "node1");
}

TEST_CASE("processes of a log are ranks if each says another one") {
    const auto log = [](int second) {
        return start_line({.process = 101, .device = 1}, {.rank = second, .size = 2}) +
               start_line({.process = 100, .device = 0}, {.rank = 0, .size = 2});
    };
    const RunPtr run = load_log(log(1));
    REQUIRE(run->ranks().size() == 2);
    CHECK(run->rank(0).key.number == 0);
    CHECK(facts_of(*run, 0).process == 100);
    CHECK(run->rank(1).key.number == 1);
    CHECK(run->diagnostics().count("rank-guessed") == 0);
    CHECK(load_log(log(0))->diagnostics().count("rank-guessed") == 2);
}

TEST_CASE("a communicator's address can be used again, and what was split has its id at the end") {
    const NcclProcess process;
    const std::string split_start = process.prefix() +
                                    "ncclCommSplit comm 0xb0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 17000 parent "
                                    "0xa0 splitCount 1 color 7 key 0 - "
                                    "Init START\n";
    const RunPtr run = load_log(start_line(process, {.size = 4, .id = "0x11"}) + split_start +
                                start_line(process, {.address = "0xb0", .size = 2, .id = "0x22"}) + process.prefix() +
                                "comm 0xb0 rank 0 nranks 2 cudaDev 0 busId 17000 - Destroy COMPLETE\n" +
                                start_line(process, {.address = "0xb0", .size = 2, .id = "0x33"}));
    std::vector<std::uint64_t> ids;
    for (const NcclCommunicator& one : facts_of(*run).communicators) ids.push_back(one.id);
    CHECK(ids == std::vector<std::uint64_t>{0x11, 0x22, 0x33});
}

TEST_CASE("the logs of the corpus have the communicators and choices that are in them") {
    if (!corpus_is_here()) return;
    LoadProgress progress;
    const Result<RunPtr> two = load_run(std::vector{corpus_folder() / "Timez-zx_nccl-tests/nccl_log_2gpu/nccl.log.gz"},
                                        {}, progress, JobContext{});
    REQUIRE(two.has_value());
    REQUIRE((*two)->ranks().size() == 2);
    std::uint64_t calls = 0, choices = 0;
    for (const RankSlot& rank : (*two)->ranks()) {
        const NcclFacts& facts = rank.trace().info.nccl;
        CHECK(facts.version == "2.27.7+cuda13.0");
        CHECK(facts.process == 64904);
        REQUIRE(facts.communicators.size() == 1);
        CHECK(facts.communicators[0].id == 0x54fe282d32a87d85);
        CHECK(facts.communicators[0].device == rank.key.number);
        CHECK(facts.communicators[0].channels == 24);
        for (const NcclCalls& one : facts.calls) {
            CHECK(one.operation == "AllReduce");
            (one.algorithm.empty() ? calls : choices) += one.count;
            if (one.algorithm.empty()) continue;
            CHECK(rank.key.number == 0);
            CHECK(one.communicator == 0x54fe282d32a87d85);
            CHECK((one.algorithm + one.protocol) == "RINGSIMPLE");
            CHECK(one.last_channel == 23);
        }
    }
    CHECK(calls == 990);
    CHECK(choices == 495);
    const Result<RunPtr> many = load_run(std::vector{corpus_folder() / "awsome-distributed-training/nccl_tests_slurm"},
                                         {}, progress, JobContext{});
    REQUIRE(many.has_value());
    REQUIRE((*many)->ranks().size() == 16);
    for (const RankSlot& rank : (*many)->ranks()) {
        const NcclFacts& facts = rank.trace().info.nccl;
        REQUIRE(facts.communicators.size() == 1);
        CHECK(facts.communicators[0].id == 0x94343f5a50e0fc8e);
        CHECK(facts.communicators[0].rank == rank.key.number);
        CHECK(facts.communicators[0].size == 16);
        CHECK(rank.trace().info.host ==
              (rank.key.number < 8 ? "compute-gpu-st-distributed-ml-1" : "compute-gpu-st-distributed-ml-2"));
    }
}
