#include "core/index/graph_replays.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::int64_t kUpper = std::int64_t{1} << 32;

TraceFixture& graph_launch(TraceFixture& fixture, std::int64_t start, std::int64_t correlation) {
    return fixture.event(start, 5, "cudaGraphLaunch", "cuda_runtime", {}).arg(Arg::Correlation, correlation);
}

std::string names_of(const RankTrace& trace, const GraphReplays& replays, std::size_t replay) {
    std::string text;
    for (const EventId e : replays.nodes_of(replays.replays[replay])) text += trace.name_text(e);
    return text;
}

}  // namespace

TEST_CASE("keys of nodes have the graph in their upper half, or take it from the graph's id") {
    CHECK(find_node_key(2, 2 * kUpper + 1) == static_cast<std::uint64_t>(2 * kUpper + 1));
    CHECK(find_node_key(2, 1) == static_cast<std::uint64_t>(2 * kUpper + 1));
    CHECK(find_node_key(2, 0) == static_cast<std::uint64_t>(2 * kUpper));  // node 0 is a node
    CHECK_FALSE(find_node_key(0, 0));  // graph 0 is none
    CHECK_FALSE(find_node_key(3, 2 * kUpper + 1));  // contradict each other
    CHECK_FALSE(find_node_key(std::nullopt, 1));
    CHECK_FALSE(find_node_key(2, std::nullopt));
    CHECK_FALSE(find_node_key(-1, -1));
}

TEST_CASE("nodes of a replay are in the order of their ids where all have one, else of their times") {
    TraceFixture fixture;
    graph_launch(fixture, 0, 1);
    fixture.kernel(10, 5, "b", 7, 1).arg(Arg::GraphId, 3).arg(Arg::GraphNodeId, 4);
    fixture.kernel(20, 5, "a", 7, 1).arg(Arg::GraphId, 3).arg(Arg::GraphNodeId, 0);
    graph_launch(fixture, 30, 2);
    fixture.kernel(40, 5, "d", 8, 2);
    fixture.kernel(40, 9, "c", 7, 2).kernel(39, 1, "e", 9, 2);
    fixture.launch(50, 2, 3).kernel(60, 1, "eager", 7, 3);
    const RankTracePtr trace = fixture.build();
    const GraphReplays replays = find_replays(*trace, {});
    REQUIRE(replays.replays.size() == 2);
    CHECK(replays.replays[0].by_id);
    CHECK(replays.replays[0].graph == 3);
    CHECK(names_of(*trace, replays, 0) == "ab");
    CHECK_FALSE(replays.replays[1].by_id);
    CHECK(names_of(*trace, replays, 1) == "edc");
    CHECK(replays.replay_of(find_named(*trace, "c")) == 1);
    CHECK(replays.replay_of(find_named(*trace, "eager")) == kNoReplay);
}

TEST_CASE("events with a graph's id are a replay without its launch") {
    TraceFixture fixture;
    fixture.kernel(10, 5, "a", 7, 1).arg(Arg::GraphId, 3).arg(Arg::GraphNodeId, 3 * kUpper);
    fixture.kernel(20, 5, "b", 7, 1).arg(Arg::GraphId, 3).arg(Arg::GraphNodeId, 3 * kUpper + 1);
    fixture.kernel(30, 5, "eager", 7, 2).arg(Arg::GraphId, 0).arg(Arg::GraphNodeId, 0);
    const RankTracePtr trace = fixture.build();
    const GraphReplays replays = find_replays(*trace, {});
    REQUIRE(replays.replays.size() == 1);
    CHECK(replays.replays[0].call == kNoEvent);
    CHECK(replays.replays[0].count == 2);
}
