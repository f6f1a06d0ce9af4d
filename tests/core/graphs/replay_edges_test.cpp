#include "core/graphs/replay_edges.hpp"

#include "core/graphs/lost_nodes.hpp"
#include "core/ingest/load/node_annotations.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/sql/sql_fixture.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace core;
using namespace core::testing;

namespace {

std::string at(int time) { return "\"ts\": " + std::to_string(time); }

std::string node(std::string_view category, std::string_view name, int stream, int begin, int duration, int correlation,
                 int id) {
    return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + std::string(name) +
           R"(", "pid": 0, "tid": )" + std::to_string(stream) + ", " + at(begin) +
           ", \"dur\": " + std::to_string(duration) + R"(, "args": {"device": 0, "stream": )" + std::to_string(stream) +
           ", \"correlation\": " + std::to_string(correlation) +
           ", \"graph id\": 3, \"graph node id\": " + std::to_string(id) + "}}";
}

std::string arrow(int number, int from_stream, int end, int to_stream, int begin) {
    const std::string id = ", \"id\": " + std::to_string((std::int64_t{1} << 40) + number);
    const std::string words = R"(, "cat": "ac2g", "name": "ac2g")";
    return R"({"ph": "s", "pid": 0, "tid": )" + std::to_string(from_stream) + ", " + at(end) + id + words + "},\n" +
           R"({"ph": "f", "bp": "e", "pid": 0, "tid": )" + std::to_string(to_stream) + ", " + at(begin) + id + words +
           "}";
}

std::string launch(int begin, int correlation) {
    return R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, )" + at(begin) +
           ", \"dur\": 5, \"args\": {\"correlation\": " + std::to_string(correlation) + "}}";
}

RunPtr load(const std::vector<std::string>& events) {
    std::string text = R"({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [)";
    for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ",\n" : "\n") + events[i];
    const ScratchFolder folder;
    folder.write("rank0.json", text + "\n]}");
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, {});
    REQUIRE(run);
    return *run;
}

// "A>B C>D": of one replay.
std::string edges_of(const Run& run, std::uint32_t replay) {
    const std::shared_ptr<const ReplayEdges> known = replay_edges_of(*run.rank(0).index, {});
    std::string text;
    for (const ReplayEdge& edge : known->of_replay(replay))
        text += (text.empty() ? "" : " ") + std::string(run.rank(0).trace().name_text(edge.from)) + ">" +
                std::string(run.rank(0).trace().name_text(edge.to));
    return text;
}

}  // namespace

TEST_CASE("arrows between nodes bind to the node that ends or begins there, where nodes of a stream overlap") {
    // B begins on the stream of A before A ends; C waits for A alone.
    const RunPtr run = load({launch(0, 1), node("kernel", "A", 7, 10, 20, 1, 0), node("kernel", "B", 7, 25, 30, 1, 1),
                             node("kernel", "C", 8, 35, 5, 1, 2), arrow(0, 7, 30, 8, 35)});
    CHECK(edges_of(*run, 0) == "A>C");
    CHECK(run->rank(0).trace().diagnostics.count("flow-unmatched") == 0);
}

TEST_CASE("an arrow that no node ends at is counted, and no edge") {
    const RunPtr run = load({launch(0, 1), node("kernel", "A", 7, 10, 20, 1, 0), node("kernel", "C", 8, 35, 5, 1, 2),
                             arrow(0, 7, 29, 8, 35)});
    CHECK(edges_of(*run, 0).empty());
    CHECK(run->rank(0).trace().diagnostics.count("flow-unmatched") > 0);
}

TEST_CASE("edges of one replay hold for the others of the graph, past nodes that were lost there") {
    const RunPtr run =
        load({launch(0, 1), node("kernel", "A", 7, 10, 10, 1, 0), node("kernel", "B", 7, 21, 10, 1, 1),
              node("kernel", "C", 7, 32, 10, 1, 2), arrow(0, 7, 20, 7, 21), arrow(1, 7, 31, 7, 32), launch(100, 2),
              node("kernel", "A", 7, 110, 10, 2, 0), node("kernel", "C", 7, 132, 10, 2, 2)});
    CHECK(edges_of(*run, 0) == "A>B B>C");
    CHECK(edges_of(*run, 1) == "A>C");
}

TEST_CASE("a callback that lost its correlation belongs to the replay that lacks it and spans it") {
    const auto callback = [](int begin, int correlation) {
        return node("graph_host_node", "HostNode: cb", 7, begin, 4, correlation, 1);
    };
    const RunPtr run =
        load({launch(0, 1), node("kernel", "A", 7, 10, 10, 1, 0), callback(21, 1), node("kernel", "C", 7, 32, 10, 1, 2),
              launch(100, 2), node("kernel", "A", 7, 110, 10, 2, 0), callback(121, 0),
              node("kernel", "C", 7, 132, 10, 2, 2)});
    const std::shared_ptr<const ReplayEdges> known = replay_edges_of(*run->rank(0).index, {});
    REQUIRE(known->others.size() == 2);
    std::set<std::uint32_t> replays;
    for (const OtherNode& other : known->others) replays.insert(other.replay);
    CHECK(replays == std::set<std::uint32_t>{0, 1});
    CHECK(known->unplaced == 0);
}

TEST_CASE("a graph that runs little of the time that the host waits for has lost kernels") {
    const auto wait = [](int begin, int duration) {
        return R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": 1, "tid": 1, )" +
               at(begin) + ", \"dur\": " + std::to_string(duration) + R"(, "args": {"correlation": 99}})";
    };
    const std::vector<std::string> sparse = {launch(0, 1), node("kernel", "A", 7, 10, 10, 1, 0),
                                             node("kernel", "B", 7, 90, 10, 1, 1)};
    std::vector<std::string> waited = sparse;
    waited.push_back(wait(6, 100));
    const auto lost_in = [](const Run& run) { return lost_nodes_of(*run.rank(0).index)->replays(); };
    CHECK(lost_in(*load(waited)) == 1);
    CHECK(lost_in(*load(sparse)) == 0);  // nobody waited
    const Answer idle = answer_of(*load(waited), "device-idle");
    REQUIRE(idle.main().rows() == 1);
    CHECK(idle.main().text(0, idle.main().find_column("cause")) == "not_recorded");
    const Answer whole = answer_of(*load(sparse), "device-idle");
    CHECK(whole.main().text(0, whole.main().find_column("cause")) == "graph_gap");
}

TEST_CASE("stacks of nodes are JSON of keys, and anything else is not") {
    const auto read = [](std::string text) {
        MemorySource source(std::move(text));
        return read_node_stacks(source, {}, {});
    };
    const NodeFile stacks = read(R"({"98784247808": "model.py:10:forward\ntrain.py:5:main"})");
    REQUIRE(stacks.stacks);
    CHECK(stacks.stacks->at(98784247808u) == "model.py:10:forward\ntrain.py:5:main");
    CHECK_FALSE(read(R"({"12": "model.py:10:forward"})").any());  // without a graph
    CHECK_FALSE(read(R"({"98784247808": 5})").any());
    CHECK_FALSE(read(R"({"traceEvents": []})").any());
    CHECK_FALSE(read("[").any());
}

TEST_CASE("SQL has the graph, replay and place of kernels, and the edges of graphs") {
    const RunPtr run = load({launch(0, 1), node("kernel", "A", 7, 10, 10, 1, 0), node("kernel", "B", 7, 21, 10, 1, 1),
                             arrow(0, 7, 20, 7, 21), launch(100, 2), node("kernel", "A", 7, 110, 10, 2, 0),
                             node("kernel", "B", 7, 121, 10, 2, 1)});
    CHECK(core::testing::rows_of(*run, "select name, graph, replay, node, attribution from kernels") ==
          "A|3|0|0|around\nB|3|0|1|around\nA|3|1|0|around\nB|3|1|1|around\n");
    CHECK(core::testing::rows_of(*run,
                                 "select graph, replay, f.name, t.name, source from graph_edges "
                                 "join events f on f.id = from_event join events t on t.id = to_event") ==
          "3|0|A|B|arrows\n3|1|A|B|arrows\n");
}
