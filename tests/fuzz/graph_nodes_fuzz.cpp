// Any bytes as a pickle of annotations or of graph data, or as JSON of stacks: keys name a graph, and nodes wait for
// nodes of the same file.

#include "core/ingest/load/node_annotations.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/text_bytes.hpp"

#include <set>

using namespace core;

namespace {

constexpr int kNodeBits = 32;

// {(23 << 32) + 5: [{"name": "wq"}]} and the two old spellings.
std::string pickle_of_annotations() {
    const std::string key("\x8a\x05\x05\x00\x00\x00\x17", 7);  // LONG1 of five bytes
    std::string text("\x80\x02}(", 4);
    text += key + "]}X" + std::string("\x04\x00\x00\x00name", 8) + "X" + std::string("\x02\x00\x00\x00wq", 6) + "sa";
    return text + "u.";
}

// {"exec_graph_id": 23, "nodes": [{"index": 0, "graph_id": 23, "node_id": 5, "dependencies": []}, …]}
std::string pickle_of_graph() {
    const auto word = [](std::string_view name) {
        return "X" + std::string(1, static_cast<char>(name.size())) + std::string(3, '\0') + std::string(name);
    };
    const auto node = [&](char index, const std::string& before) {
        return "}(" + word("index") + "K" + std::string(1, index) + word("graph_id") + "K\x17" + word("node_id") + "K" +
               std::string(1, static_cast<char>(index + 5)) + word("dependencies") + before + "u";
    };
    return std::string("\x80\x02}(", 4) + word("exec_graph_id") + "K\x17" + word("nodes") + "](" + node(0, "]") +
           node(1, "](" + std::string("K\0", 2) + "e") + "eu.";
}

void check(std::uint64_t key) {
    if (key >> kNodeBits == 0 || key >> 63 != 0) fuzz::fail("a key without a graph");
}

void check(const NodeFile& read) {
    if (read.regions)
        for (const auto& [key, region] : *read.regions) check(key);
    if (read.stacks)
        for (const auto& [key, lines] : *read.stacks) check(key);
    if (!read.graphs) return;
    for (const auto& [graph, nodes] : *read.graphs) {
        if (graph <= 0 || nodes.empty()) fuzz::fail("graph data without a graph");
        std::set<std::uint64_t> keys;
        for (const GraphDataNode& node : nodes) keys.insert(node.key);
        for (const GraphDataNode& node : nodes) {
            check(node.key);
            for (const std::uint64_t before : node.before)
                if (!keys.contains(before)) fuzz::fail("a node that waits for none of its graph");
        }
    }
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    return {pickle_of_annotations(), pickle_of_graph(), R"({"98784247813": "model.py:10:forward\ntrain.py:5:main"})",
            R"({"12": "no graph"})"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const PickleLimits limits{.most_values = 100'000, .most_text_bytes = 1'000'000, .most_marks = 64};
    fuzz::TextBytes pickle(fuzz::as_text(data, size), size), json(fuzz::as_text(data, size), 7);
    const NodeFile read = read_node_pickle(pickle, limits, JobContext{});
    if (read.stacks) fuzz::fail("stacks in a pickle");
    check(read);
    check(read_node_stacks(json, limits, JobContext{}));
    return 0;
}
