#include "core/analysis/engine/event_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace core;

namespace {

GraphEdge edge(std::uint32_t from, std::uint32_t to, std::int64_t weight, EdgeKind kind = EdgeKind::Thread,
               BoundBy bound_by = BoundBy::Cpu) {
    return {from, to, weight, kNoEvent, kind, bound_by, false, false};
}

EventGraph settled(NodeTimes time, GraphEdges edges) {
    Result<EventGraph> graph = finish_graph(std::move(time), std::move(edges), {});
    REQUIRE(graph);
    return *std::move(graph);
}

std::vector<std::int64_t> weights_of(const EventGraph& graph) {
    std::vector<std::int64_t> weights;
    for (const GraphEdge& one : graph.edges) weights.push_back(one.weight);
    return weights;
}

LongestPath longest(const EventGraph& graph, std::uint32_t target) {
    Result<LongestPath> path = find_longest_path(graph, weights_of(graph), target, {});
    REQUIRE(path);
    return *std::move(path);
}

const GraphEdge& edge_into(const EventGraph& graph, std::uint32_t node, EdgeKind kind) {
    const auto begin = graph.edges.begin() + graph.first[node], end = graph.edges.begin() + graph.first[node + 1];
    const auto it = std::ranges::find(begin, end, kind, &GraphEdge::kind);
    REQUIRE(it != end);
    return *it;
}

// Longest path to every node by relaxing all edges until nothing changes.
std::vector<std::int64_t> relaxed(const EventGraph& graph, std::span<const std::int64_t> weights) {
    std::vector<std::int64_t> longest_to(graph.time.size(), -1);
    longest_to[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < graph.edges.size(); ++i) {
            const GraphEdge& one = graph.edges[i];
            if (longest_to[one.from] < 0 || longest_to[one.from] + weights[i] <= longest_to[one.to]) continue;
            longest_to[one.to] = longest_to[one.from] + weights[i];
            changed = true;
        }
    }
    return longest_to;
}

struct RandomGraph {
    NodeTimes time;
    GraphEdges edges;
};

// Many nodes at one instant, with edges in both directions.
RandomGraph random_graph(unsigned seed) {
    std::mt19937 dice(seed);
    const auto roll = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(dice);
    };
    RandomGraph made;
    const auto nodes = static_cast<std::uint32_t>(roll(2, 14));
    made.time.push_back(0);
    for (std::uint32_t n = 1; n < nodes; ++n) made.time.push_back(roll(0, 12));
    for (std::int64_t i = roll(0, 40); i > 0; --i) {
        const auto from = static_cast<std::uint32_t>(roll(0, nodes - 1)),
                   to = static_cast<std::uint32_t>(roll(1, nodes - 1));
        const std::int64_t between = made.time[to] - made.time[from];
        if (from == to || between < 0) continue;
        made.edges.push_back(edge(from, to, roll(0, between), static_cast<EdgeKind>(roll(0, kEdgeKinds - 1)),
                                  static_cast<BoundBy>(roll(0, kBoundBy - 1))));
    }
    return made;
}

}  // namespace

TEST_CASE("the predecessor that finished last releases a node") {
    // 1 and 2 lead to 3; 2 is later.
    const EventGraph graph =
        settled({0, 10, 25, 30}, {edge(0, 1, 10), edge(0, 2, 25, EdgeKind::Run, BoundBy::Compute), edge(1, 3, 0),
                                  edge(2, 3, 0, EdgeKind::StreamOrder, BoundBy::KernelDelay)});
    CHECK(edge_into(graph, 3, EdgeKind::StreamOrder).weight == 5);
    CHECK(edge_into(graph, 3, EdgeKind::Thread).weight == 0);
    const LongestPath path = longest(graph, 3);
    CHECK(path.length == 30);
    REQUIRE(path.edges.size() == 2);
    CHECK(graph.edges[path.edges[0]].kind == EdgeKind::Run);
}

TEST_CASE("an edge that takes all the time between its nodes has no slack") {
    const EventGraph graph = settled({0, 10, 30}, {edge(0, 1, 10), edge(0, 2, 0, EdgeKind::Sync), edge(1, 2, 20)});
    CHECK(edge_into(graph, 2, EdgeKind::Sync).weight == 0);
    CHECK(edge_into(graph, 2, EdgeKind::Thread).weight == 20);
}

TEST_CASE("a call returns equally long after each event that it waits for") {
    const EventGraph graph = settled({0, 10, 18, 20}, {edge(0, 1, 10), edge(0, 2, 18), edge(1, 3, 0, EdgeKind::Sync),
                                                       edge(2, 3, 0, EdgeKind::Sync), edge(0, 3, 0)});
    for (std::uint32_t i = graph.first[3]; i < graph.first[4]; ++i)
        CHECK(graph.edges[i].weight == (graph.edges[i].kind == EdgeKind::Sync ? 2 : 0));
}

TEST_CASE("among equally long paths the one with most work wins, then the first kind of edge") {
    const EventGraph waits =
        settled({0, 10, 10, 20}, {edge(0, 1, 10, EdgeKind::Outside, BoundBy::Unknown), edge(0, 2, 10),
                                  edge(1, 3, 10, EdgeKind::Run, BoundBy::Compute), edge(2, 3, 10)});
    CHECK(waits.edges[longest(waits, 3).edges[1]].from == 2);
    const EventGraph equal = settled({0, 10, 10, 20}, {edge(0, 1, 10), edge(0, 2, 10), edge(1, 3, 10),
                                                       edge(2, 3, 10, EdgeKind::Run, BoundBy::Compute)});
    CHECK(equal.edges[longest(equal, 3).edges[1]].kind == EdgeKind::Run);
}

TEST_CASE("cycles within an instant are broken, and nodes without a predecessor are attached to the source") {
    const EventGraph graph = settled({0, 5, 5, 5, 9}, {edge(1, 2, 0), edge(2, 3, 0), edge(3, 1, 0), edge(3, 4, 4)});
    CHECK(edge_into(graph, 1, EdgeKind::Outside).weight == 5);
    CHECK(longest(graph, 4).length == 9);
    CHECK(longest(settled({0, 7}, {}), 1).length == 7);
}

TEST_CASE("random graphs: longest paths agree with relaxing all edges repeatedly") {
    for (unsigned seed = 0; seed < 3000; ++seed) {
        INFO("seed ", seed);
        RandomGraph made = random_graph(seed);
        const std::vector<std::int64_t> time = made.time;
        const EventGraph graph = settled(std::move(made.time), std::move(made.edges));
        std::vector<std::int64_t> weights = weights_of(graph);
        CHECK(relaxed(graph, weights) == time);  // as recorded
        std::mt19937 dice(seed);
        for (std::int64_t& weight : weights) weight = weight * static_cast<std::int64_t>(dice() % 4) / 2;
        const std::vector<std::int64_t> expected = relaxed(graph, weights);
        for (std::uint32_t node = 0; node < time.size(); ++node) {
            const Result<LongestPath> path = find_longest_path(graph, weights, node, {});
            REQUIRE(path);
            CHECK(path->length == expected[node]);
            std::int64_t sum = 0;
            std::uint32_t at = 0;
            for (const std::uint32_t i : path->edges) {
                CHECK(graph.edges[i].from == at);
                at = graph.edges[i].to;
                sum += weights[i];
            }
            CHECK(at == node);
            CHECK(sum == expected[node]);
        }
    }
}

TEST_CASE("building and searching can be cancelled") {
    std::stop_source stop;
    stop.request_stop();
    CHECK_FALSE(finish_graph({0, 1}, {edge(0, 1, 1)}, {stop.get_token(), nullptr, nullptr}));
    const EventGraph graph = settled({0, 1}, {edge(0, 1, 1)});
    CHECK_FALSE(find_longest_path(graph, weights_of(graph), 1, {stop.get_token(), nullptr, nullptr}));
}
