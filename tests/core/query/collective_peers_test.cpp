#include "core/query/collective_peers.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

struct Call {
    std::int64_t start;
    std::string group;
    std::int64_t seq;  // negative: none
};

RankTracePtr rank_with(int rank, const std::vector<Call>& calls, std::string_view members = "[0, 1]") {
    TraceFixture fixture;
    fixture.rank(rank);
    for (const Call& call : calls) {
        fixture.kernel(call.start, 10, "ncclDevKernel_AllReduce", 9).arg(Arg::CollectiveName, "allreduce");
        if (!call.group.empty()) fixture.arg(Arg::GroupName, call.group).arg(Arg::GroupRanks, members);
        if (call.seq >= 0) fixture.arg(Arg::Seq, call.seq);
    }
    return fixture.build();
}

CollectivePeers peers_of(const RunPtr& run, std::uint32_t slot, std::size_t nth) {
    return find_peers(*run, {slot, run->rank(slot).trace().gpu_events[nth]}, {}).value();
}

std::int64_t start_of(const RunPtr& run, EventRef ref) {
    return ns_of(run->rank(ref.slot).trace().start[index_of(ref.event)]);
}

}  // namespace

TEST_CASE("collectives match across ranks by group, members and sequence number") {
    const RunPtr run = run_of({rank_with(0, {{0, "dp", 1}, {50, "tp", 2}, {100, "dp", 2}}),
                               rank_with(1, {{20, "dp", 2}, {60, "tp", 2}}), rank_with(2, {{30, "dp", 2}}, "[2, 3]")});
    const CollectivePeers peers = peers_of(run, 0, 2);
    CHECK(peers.match == PeerMatch::Sequence);
    REQUIRE(peers.others.size() == 1);
    CHECK(start_of(run, peers.others[0]) == 20);
    CHECK(peers_of(run, 0, 0).others.empty());
    CHECK(peers_of(run, 0, 0).match == PeerMatch::None);
}

TEST_CASE("without sequence numbers, collectives match by order from the end within the group, which is reported") {
    const RunPtr run = run_of({rank_with(0, {{0, "dp", -1}, {100, "dp", -1}, {200, "dp", -1}}),
                               rank_with(1, {{120, "dp", -1}, {190, "dp", -1}})});
    const CollectivePeers peers = peers_of(run, 0, 1);
    CHECK(peers.match == PeerMatch::Order);
    REQUIRE(peers.others.size() == 1);
    CHECK(start_of(run, peers.others[0]) == 120);
    CHECK(peers_of(run, 0, 0).others.empty());
}

TEST_CASE("without a group, collectives match by communicator id and sequence number, also of the call") {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank);
        for (std::int64_t i = 0; i < 3; ++i)
            fixture.event(i * 100, 50, "record_param_comms", "cpu_op", {})
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::CommsId, 77)
                .arg(Arg::Seq, i + rank)
                .launch(i * 100 + 10, 5, i + 1)
                .kernel(1000 + i * 100, 10, "ncclDevKernel_AllReduce", 9, i + 1);
        traces.push_back(fixture.build());
    }
    const RunPtr run = run_of(traces);
    const CollectivePeers peers = peers_of(run, 0, 2);
    CHECK(peers.match == PeerMatch::CommsId);
    REQUIRE(peers.others.size() == 1);
    CHECK(start_of(run, peers.others[0]) == 1100);
}

TEST_CASE("an event that is not a collective has no peers") {
    const RunPtr run =
        run_of({TraceFixture().kernel(0, 10, "gemm").build(), TraceFixture().kernel(0, 10, "gemm").build()});
    CHECK(peers_of(run, 0, 0).others.empty());
}
