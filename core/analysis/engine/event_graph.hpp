#pragma once
// Dependency graph of event begins and ends with the time each dependency took; the basis of the
// critical path. Independent of traces: the builder decides what an edge means.
//
// A settled graph reproduces the recording: the longest path from the source to a node equals the
// recorded time between them, to the nanosecond. So the longest path spans the window, and other
// weights give the times of a what-if.

#include "core/base/jobs.hpp"
#include "core/base/units.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace core {

// Ordered by preference among equally long paths.
enum class EdgeKind : std::uint8_t {
    Run,         // a GPU event, from its begin to its end
    StreamOrder, // end of a GPU event → begin of the next on its stream
    StreamWait,  // end of a GPU event → begin of one on another stream that waits for it
    InGraph,     // end of a node of a graph → begin of one that depends on it, in one replay
    Placement,   // end of a node of a graph → begin of one that only shares its lane, in one replay
    Sync,        // end of a GPU event → return of the call that waited for it
    Launch,      // begin of a call → begin of a GPU event it launched
    Thread,      // one begin or end on a CPU thread → the next
    HandOver,    // a CPU thread continues after another one
    Outside,     // waited for something outside the graph
    Tail,        // → end of the window
    Arrival,     // begin of a collective's kernel → all its members are there
    Transfer,    // all members are there → end of a member's kernel
};
inline constexpr std::size_t kEdgeKinds = 13;

enum class BoundBy : std::uint8_t {
    Cpu,
    DataLoading,
    HostOther,
    LaunchDelay,
    Compute,
    Communication,
    Memory,
    KernelDelay,
    SyncDelay,
    HostCallback,  // of a graph
    Unknown,
};
inline constexpr std::size_t kBoundBy = 11;
bool is_work(BoundBy);  // work, not a delay
std::string_view name_of(BoundBy);  // "cpu", "launch_delay", …; never freed
std::string_view name_of(EdgeKind);  // as the table links tells it

struct GraphEdge {
    std::uint32_t from;
    std::uint32_t to;
    std::int64_t weight = 0;   // least duration in ns; at most the time between its nodes
    EventId event = kNoEvent;  // owner of the time
    EdgeKind kind = EdgeKind::Thread;
    BoundBy bound_by = BoundBy::Unknown;
    bool guessed = false;      // inferred, not recorded
    bool chosen = false;
};

using NodeTimes = std::vector<std::int64_t>;
using GraphEdges = std::vector<GraphEdge>;
using EdgeWeights = std::vector<std::int64_t>;
using NodeNumbers = std::vector<std::uint32_t>;

// Node 0 is the source at time 0; node times count from it and aren't negative.
struct EventGraph {
    NodeTimes time;      // by node
    GraphEdges edges;    // by target, then kind
    NodeNumbers first;   // edges[first[n] .. first[n + 1]) lead to node n
    NodeNumbers order;   // all nodes in topological order, along chains as far as they lead
};

// Nodes moved because what they wait for was recorded after them, on a clock that is a little off.
struct MovedNodes {
    std::uint64_t count = 0;
    std::int64_t sum = 0;  // ns
    std::int64_t most = 0;
};

// Orders the nodes, drops edges that close a cycle among simultaneous nodes, and stretches into
// each node the edge with the latest source, so the node is reached exactly at its recorded time.
// Nodes without edges attach to the source. A node recorded before what an edge says it waits for is moved to
// that; edges longer than the time between their nodes are cut to it. O(nodes + edges), and sorting by time where
// there are cycles. Fails if cancelled.
Result<EventGraph> finish_graph(NodeTimes time, GraphEdges edges, const JobContext&, MovedNodes* moved = nullptr);

struct LongestPath {
    std::int64_t length = 0;
    std::vector<std::uint32_t> edges;  // from the source to the target
};

// Times at which the nodes are reached with these weights, one per edge: the length of the longest path to each.
// kCutEdge as a weight: the edge does not count. O(nodes + edges). Fails if cancelled.
inline constexpr std::int64_t kCutEdge = -1;
Result<NodeTimes> replay_times(const EventGraph&, std::span<const std::int64_t> weights, const JobContext&);

// Longest path with these weights, one per edge; kCutEdge as above. Ties: most work on the path, then the first kind
// of last edge. O(nodes + edges). Fails if cancelled.
Result<LongestPath> find_longest_path(const EventGraph&, std::span<const std::int64_t> weights, std::uint32_t target,
                                      const JobContext&);

}  // namespace core
