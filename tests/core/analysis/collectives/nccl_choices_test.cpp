#include "core/analysis/collectives/nccl_choices.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace core;
using namespace core::testing;

namespace {

struct Call {
    std::string group;
    std::string ranks;
    std::int64_t size = 2;
    std::int64_t elements = 1024;  // of four bytes
};

// Four ranks; every call is an all-reduce of its group.
RunPtr run_with(const std::vector<Call>& calls, const std::vector<std::pair<int, NcclFacts>>& logs) {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 4; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank);
        std::int64_t at = 0;
        for (const Call& call : calls) {
            at += 1'000'000;
            if (call.ranks.find(std::to_string(rank)) == std::string::npos) continue;
            fixture.kernel(at, 50'000, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::CollectiveDtype, "Float")
                .arg(Arg::GroupName, call.group)
                .arg(Arg::GroupRanks, call.ranks)
                .arg(Arg::GroupSize, call.size)
                .arg(Arg::InElements, call.elements)
                .arg(Arg::OutElements, call.elements)
                .arg(Arg::Seq, at / 1'000'000);
        }
        traces.push_back(fixture.build());
    }
    RunParts parts = run_of(traces)->parts();
    for (const auto& [rank, facts] : logs) {
        TraceFixture log;
        log.info().trace_name = kNcclLog;
        log.info().nccl = facts;
        parts.companions.push_back(
            {.index = std::make_shared<const RankIndex>(log.build(), parts.rules), .rank = rank});
    }
    return std::make_shared<const Run>(std::move(parts));
}

NcclCommunicator communicator(std::uint64_t id, int rank, int size) {
    return {.id = id, .name = {}, .rank = rank, .size = size, .bus = {}};
}

NcclCalls chosen(std::uint64_t id, const std::string& algorithm, const std::string& protocol, std::int64_t bytes = 4096,
                 std::int32_t last_channel = 23) {
    return {.communicator = id,
            .operation = "AllReduce",
            .bytes = bytes,
            .algorithm = algorithm,
            .protocol = protocol,
            .first_channel = 0,
            .last_channel = last_channel,
            .count = 1,
            .timing = {}};
}

// Algorithm and protocol of the run's call number `call`, by its first kernel on any rank.
std::string said_of(const Run& run, std::int64_t call) {
    std::set<std::string> texts;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankTrace& trace = run.rank(slot).trace();
        for (const EventId kernel : trace.gpu_events) {
            if (trace.integer(Arg::Seq, kernel) != call) continue;
            const std::optional<NcclChoice> choice = find_nccl_choice(run, {slot, kernel});
            texts.insert(choice ? choice->text() + " " + choice->channels() : "nothing");
        }
    }
    REQUIRE(texts.size() == 1);  // the same on every member
    return *texts.begin();
}

}  // namespace

TEST_CASE("a choice is that of the communicator with the group's ranks, the operation and the size") {
    const RunPtr run =
        run_with({{"tp", "[0, 1]"}, {"dp", "[0, 2]"}, {"tp", "[0, 1]", 2, 4096}},
                 {{0,
                   {.version = {},
                    .communicators = {communicator(0x11, 0, 2), communicator(0x22, 0, 2)},
                    .calls = {chosen(0x11, "RING", "LL"), chosen(0x22, "NVLS", "SIMPLE")},
                    .warnings = {}}},
                  {1, {.version = {}, .communicators = {communicator(0x11, 1, 2)}, .calls = {}, .warnings = {}}},
                  {2, {.version = {}, .communicators = {communicator(0x22, 1, 2)}, .calls = {}, .warnings = {}}}});
    CHECK(said_of(*run, 1) == "RING LL 0-23");
    CHECK(said_of(*run, 2) == "NVLS SIMPLE 0-23");
    CHECK(said_of(*run, 3) == "nothing");  // of another size
    const Answer answer = answer_of(*run, "bandwidth");
    const Table& table = answer.main();
    std::map<std::string, std::string> said;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string group(std::get<std::string_view>(table.cell(row, 0)));
        const Cell stated = table.cell(row, table.columns().size() - 1);
        const std::int64_t bytes = std::get<std::int64_t>(table.cell(row, 2));
        said[group.substr(0, 2) + " " + std::to_string(bytes)] =
            std::holds_alternative<std::monostate>(stated) ? "absent" : std::string(std::get<std::string_view>(stated));
    }
    CHECK(said == std::map<std::string, std::string>{
                      {"tp 4096", "RING LL"}, {"dp 4096", "NVLS SIMPLE"}, {"tp 16384", "absent"}});
}

TEST_CASE("with the log of rank 0 alone, two communicators that can be the group must agree") {
    const auto run_of_two = [](const std::string& second, std::int32_t last_channel) {
        return run_with({{"tp", "[0, 1]"}, {"dp", "[0, 2]"}},
                        {{0,
                          {.version = {},
                           .communicators = {communicator(0x11, 0, 2), communicator(0x22, 0, 2)},
                           .calls = {chosen(0x11, "RING", "LL"), chosen(0x22, second, "LL", 4096, last_channel)},
                           .warnings = {}}}});
    };
    CHECK(said_of(*run_of_two("TREE", 23), 1) == "nothing");
    CHECK(said_of(*run_of_two("RING", 23), 1) == "RING LL 0-23");
    CHECK(said_of(*run_of_two("RING", 3), 1) == "RING LL ");  // on other channels
}

TEST_CASE("a choice whose communicator the log does not say is one of a group that begins with the rank") {
    const RunPtr run =
        run_with({{"tp", "[0, 1]"}, {"tp", "[2, 3]"}},
                 {{0, {.version = {}, .communicators = {}, .calls = {chosen(0, "RING", "LL")}, .warnings = {}}}});
    CHECK(said_of(*run, 1) == "RING LL 0-23");
    CHECK(said_of(*run, 2) == "nothing");
}

TEST_CASE("a communicator of another size is not the group") {
    const RunPtr run = run_with({{"dp", "[0, 1]"}}, {{0,
                                                      {.version = {},
                                                       .communicators = {communicator(0x11, 0, 4)},
                                                       .calls = {chosen(0x11, "RING", "LL")},
                                                       .warnings = {}}}});
    CHECK(said_of(*run, 1) == "nothing");
}

TEST_CASE("the table NCCL has the facts of companions by rank, and of those whose rank is unknown") {
    RunParts parts =
        run_with({{"dp", "[0, 1]"}}, {{1,
                                       {.version = {},
                                        .process = 7,
                                        .communicators = {communicator(0x11, 1, 2)},
                                        .calls = {chosen(0x11, "RING", "LL")},
                                        .warnings = {{.time = {}, .place = {}, .text = "low memory", .count = 2}}}}})
            ->parts();
    parts.companions.push_back(parts.companions.front());
    parts.companions.back().rank.reset();
    const Run run(std::move(parts));
    const Answer all = answer_of(run, "nccl");
    REQUIRE(all.main().rows() == 2);
    CHECK(all.find("communicators")->rows() == 2);
    CHECK(all.find("warnings")->rows() == 2);
    int unknown = 0;
    for (std::size_t row = 0; row < 2; ++row)
        unknown += std::holds_alternative<std::monostate>(all.main().cell(row, 2));
    CHECK(unknown == 1);
    CHECK(answer_of(run, "nccl", "rank:1").main().rows() == 1);
    CHECK(answer_of(run, "nccl", "rank:2").main().rows() == 0);
}
