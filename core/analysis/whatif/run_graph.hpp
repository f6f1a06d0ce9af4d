#pragma once
// One dependency graph of several ranks on the run's clock: the graphs of the single ranks, joined where a collective
// makes its members wait for the last of them, or a receive for its send. Replayed with other weights it says what a
// change would gain. Definitions: docs/definitions.md, what-if and critical-path.

#include "core/analysis/critical_path/critical_path_graph.hpp"
#include "core/collectives/waits.hpp"

namespace core {

inline constexpr std::uint32_t kNoCollective = 0xFFFFFFFFu;

// The part of one rank: nodes first_node up to the first node of the next part.
struct GraphPart {
    std::uint32_t slot = 0;
    PathWindow window{};
    std::uint32_t first_node = 0;
};

enum class NodeOf : std::uint8_t { Nothing, MainThread, Backward, OtherThread, Stream };

struct RunNode {
    EventId event = kNoEvent;  // whose begin or end it is
    NodeOf of = NodeOf::Nothing;
    bool is_end = false;
};

// Counts of collectives that join ranks, and of those that could not.
struct JoinCounts {
    std::uint64_t joined = 0;   // collectives
    std::uint64_t pairs = 0;    // sends with their receives
    std::uint64_t not_joined = 0;  // of two ranks and more: doubtful, members missing, left early, cut by the window
};

struct RunGraph {
    std::vector<GraphPart> parts;     // by slot
    RunRange range{};               // of the window on the run's clock
    EventGraph graph;               // node 0 is the begin of the window; times count from it
    std::uint32_t sink = 0;
    std::uint32_t first_join = 0;   // joins are the nodes from here to the sink
    std::vector<std::uint32_t> collective_of_join;
    std::vector<RunNode> nodes;     // of parts; by node
    JoinCounts joins;
    MovedNodes moved;
    std::uint64_t reversed = 0;     // GPU events that began before their launch calls
    std::uint64_t blocked = 0;      // guessed: threads that waited for a collective without a call that says so

    std::int64_t length() const { return graph.time[sink]; }
    bool is_join(std::uint32_t node) const { return node >= first_join && node < sink; }
    std::uint32_t collective_of(std::uint32_t node) const {
        return is_join(node) ? collective_of_join[node - first_join] : kNoCollective;
    }
    // The part that a node belongs to; of a join, source or sink: parts.size().
    std::size_t part_of(std::uint32_t node) const;
    // The part whose time an edge is: that of the node it leads to, else of the one it comes from.
    std::size_t part_of(const GraphEdge& edge) const;
};

struct PartWindow {
    std::uint32_t slot = 0;
    PathWindow window{};
};

// chosen: by slot, which events' edges are marked; may be empty. O(nodes + edges), ranks in parallel. Fails if
// cancelled.
using ChosenEvents = std::function<bool(std::uint32_t slot, EventId)>;
Result<RunGraph> build_run_graph(const Run&, const Waits&, std::span<const PartWindow>, const ChosenEvents& chosen,
                                 const JobContext&);

// Its weights as recorded, one per edge.
EdgeWeights recorded_weights(const RunGraph&);

}  // namespace core
