#pragma once
// The graphs of one rank and their replays: how many nodes each replay has and lacks, and how long it ran. Replays are
// of one graph if their events carry its id, else if one capture explains them, else if their nodes have the same
// names.

#include "core/graphs/graph_attribution.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace core {

struct ReplayTimes {
    std::uint32_t replay = 0;  // into GraphReplays::replays
    std::uint32_t graph = 0;  // into GraphList::graphs
    std::uint32_t lacks = 0;  // nodes that were not recorded
    std::int64_t gpu_ns = 0;  // sum of the nodes' durations
    std::int64_t span_ns = 0;  // first start to last end
    std::int64_t gap_ns = 0;  // of the span: no node runs
    bool is_thin() const { return gap_ns > span_ns - gap_ns; }  // its nodes fill less than half of it
};

struct ListedGraph {
    std::int64_t id = 0;  // of the executable graph; 0: not recorded
    std::uint32_t first_template = 0;  // of its first replay
    std::uint32_t replays = 0;
    std::uint32_t nodes = 0;  // of a whole replay, as far as is known
};

struct GraphList {
    std::vector<ListedGraph> graphs;  // by first replay
    std::vector<ReplayTimes> replays;  // as in GraphReplays
};
GraphList list_graphs(const RankTrace&, const GraphAttribution&);

// "4 replays of 1 graph, 1 with capture; 84.9 % of GPU time through captures, all probable"; empty without replays.
std::string describe_graphs(const Run&);

}  // namespace core
