#include "core/ingest/nccl/inspector_lines.hpp"

#include "tests/core/ingest/load/malformed_fixture.hpp"
#include "tests/core/ingest/nccl/nccl_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

constexpr long kStart = 1'700'000'000'000'000;  // Unix microseconds

RankTracePtr load_lines(const std::string& text) {
    const Result<RankTracePtr> trace = load_text(text, "node1-pid100.log");
    REQUIRE_MESSAGE(trace.has_value(), (trace ? "" : trace.error().message));
    return *trace;
}

}  // namespace

TEST_CASE("an inspector's line without times is a row of bandwidth, and no event") {
    const RankTracePtr trace = load_lines(inspector_line(1) + inspector_line(2, 0, 500) + inspector_line(3, 0, 100));
    CHECK(trace->size() == 0);
    CHECK(trace->info.rank == 1);
    CHECK(trace->info.host == "node1");
    const NcclFacts& facts = trace->info.nccl;
    CHECK(facts.process == 100);
    REQUIRE(facts.communicators.size() == 1);
    CHECK(facts.communicators[0].id == 0x7f8c496ae9f661);
    CHECK(facts.communicators[0].name == "dp");
    REQUIRE(facts.calls.size() == 1);
    const NcclCalls& calls = facts.calls[0];
    CHECK(calls.operation == "AllReduce");
    CHECK(calls.bytes == 67'108'864);
    CHECK(calls.count == 3);
    CHECK(calls.timed == 3);
    CHECK(calls.total_ns == 900'000);
    CHECK(calls.shortest_ns == 100'000);
    CHECK(calls.longest_ns == 500'000);
    CHECK(calls.with_bandwidth == 3);
    CHECK(calls.bus_bytes_per_s == 3 * 223'500'000'000);
    CHECK(calls.timing == "kernel_gpu");
}

TEST_CASE("blocks of an inspector's numbers that are missing are records that its ring lost") {
    const auto lost_with = [](std::initializer_list<std::pair<int, int>> ranges) {
        std::string text;
        for (const auto& [first, last] : ranges)
            for (int number = first; number <= last; ++number) text += inspector_line(number);
        return load_lines(text)->diagnostics.count("records-lost");
    };
    CHECK(lost_with({{1, 200}}) == 0);
    CHECK(lost_with({{1, 100}, {613, 700}, {1213, 1300}}) == 512 + 512);
    CHECK(lost_with({{613, 700}, {1, 100}}) == 512);           // not in their order
    CHECK(lost_with({{1, 3}, {5, 5}, {9, 12}}) == 0);          // small messages are left out on purpose
}

TEST_CASE("an inspector's line with times is an event with a part on each channel") {
    const RankTracePtr trace = load_lines(inspector_line(1, kStart) + inspector_line(2, kStart + 1000));
    REQUIRE(trace->size() == 4);
    int calls = 0;
    for (std::uint32_t i = 0; i < trace->size(); ++i) {
        const EventId e{i};
        CHECK(trace->name_text(e) == "AllReduce");
        if (trace->category_text(e) != "nccl_inspector") continue;
        const std::int64_t number = *trace->integer(Arg::Seq, e);
        CHECK(ns_of(trace->start[i]) == (kStart + (number - 1) * 1000) * 1000);
        CHECK(trace->duration[i].count() == 300'000);
        CHECK(trace->integer(Arg::Bytes, e) == 67'108'864);
        CHECK(trace->argument(Arg::GroupName, e) == "0x7f8c496ae9f661");
        CHECK(trace->text(trace->track_of(e).name) == "dp (rank 1 of 2)");
        ++calls;
    }
    CHECK(calls == 2);
}

TEST_CASE("a message between two ranks is a row too") {
    const RankTracePtr trace = load_lines(
        std::string(kInspectorHead) +
        R"("p2p_perf":{"p2p":"Send","p2p_sn":3,"p2p_peer":0,"p2p_msg_size_bytes":8192,"p2p_exec_time_us":12.5}})"
        "\n");
    REQUIRE(trace->info.nccl.calls.size() == 1);
    CHECK(trace->info.nccl.calls[0].operation == "Send");
    CHECK(trace->info.nccl.calls[0].bytes == 8192);
    CHECK(trace->info.nccl.calls[0].total_ns == 12'500);
    CHECK(trace->info.nccl.calls[0].with_bandwidth == 0);
}

TEST_CASE("the last line of a file that grows is left out and counted") {
    const std::string whole = inspector_line(1, kStart);
    const RankTracePtr trace = load_lines(whole + whole.substr(0, 150));
    CHECK(trace->size() == 2);
    CHECK(trace->diagnostics.count("file-truncated") == 1);
    CHECK(trace->info.records.dropped == 1);
}
