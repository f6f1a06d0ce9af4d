#pragma once
// Files next to a rank that say what the nodes of its graphs are: traces of captures, annotations. They are not ranks,
// windows or steps. They hang at the rank's index, since they may arrive after it; values that depend on both hang at
// them.

#include "core/index/derived.hpp"
#include "core/index/rank_index.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace core {

// Names of the regions that nodes were captured in, by (graph id << 32) | node.
using NodeRegions = std::map<std::uint64_t, std::string>;
// Python stacks at the capture of nodes, innermost line first, by the same.
using NodeStacks = std::map<std::uint64_t, std::string>;

struct GraphDataNode {
    std::uint64_t key;
    std::vector<std::uint64_t> before{};  // keys of the nodes that it waits for
    bool operator==(const GraphDataNode&) const = default;
};
// Whole graphs by id, with nodes that no trace draws.
using NodeGraphs = std::map<std::int64_t, std::vector<GraphDataNode>>;

struct GraphSources {
    std::vector<RankIndexPtr> captures{};  // traces, by file name
    bool are_own = true;  // of the rank itself, not of another one that captured the same graphs
    std::shared_ptr<const NodeRegions> regions{};  // null: none
    std::shared_ptr<const NodeStacks> stacks{};
    std::shared_ptr<const NodeGraphs> nodes{};
    Derived derived{};
    std::shared_ptr<const GraphSources> before{};  // values of which may still be in use
};
using GraphSourcesPtr = std::shared_ptr<const GraphSources>;

// Null: none.
GraphSourcesPtr graph_sources_of(const RankIndex&);
// From now on; the same ones again change nothing.
void set_graph_sources(const RankIndex&, std::vector<RankIndexPtr> captures, bool are_own);
void set_node_regions(const RankIndex&, std::shared_ptr<const NodeRegions>);
void set_node_stacks(const RankIndex&, std::shared_ptr<const NodeStacks>);
void set_node_graphs(const RankIndex&, std::shared_ptr<const NodeGraphs>);
// Home of values that depend on a rank and on its graphs' sources. Lives as long as the index.
const Derived& derived_with_graphs(const RankIndex&);

}  // namespace core
