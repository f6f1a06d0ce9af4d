#pragma once
// Files of PyTorch about the nodes of graphs next to traces: annotations (kernel_annotations_rank0_….pkl), Python
// stacks (JSON of {node key: lines}) and graph data (pickles of nodes and what they depend on). Only plain data is
// read; files of another shape are left to others.

#include "core/index/graph_sources.hpp"
#include "core/index/run.hpp"
#include "core/ingest/pickle/read_pickle.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace core {

struct NodeFile {
    std::shared_ptr<const NodeRegions> regions{};  // one of these
    std::shared_ptr<const NodeStacks> stacks{};
    std::shared_ptr<const NodeGraphs> graphs{};
    bool any() const { return regions || stacks || graphs; }
};
// Nothing where the bytes are of another shape.
NodeFile read_node_pickle(ByteSource&, const PickleLimits&, const JobContext&);
NodeFile read_node_stacks(ByteSource&, const PickleLimits&, const JobContext&);

struct NodeAnnotations {
    std::filesystem::path path;
    std::optional<int> rank;  // in the file's name
    NodeFile read;
};
// Pickles by their names' ends, stacks by "stack" in the name.
std::vector<NodeAnnotations> read_annotations(std::span<const std::filesystem::path> files, const JobContext&);
// Gives each rank those of its number that fit its graphs: ids of another run join by accident. Annotations have to
// have all graphs of the rank, graph data all nodes of a graph.
void attach_annotations(std::span<const NodeAnnotations>, const Run&);

}  // namespace core
