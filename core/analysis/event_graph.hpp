#pragma once
// Begins and ends of events as a graph: which had to come first, and how long each dependency took. The ground of
// the critical path. Knows nothing of traces; whoever draws it says what an edge stands for.
//
// Settled, a graph reproduces what was recorded: the longest way from the source to a node is as long as the time from
// the source to it, to the nanosecond. So the longest path spans everything, and with other weights it says when
// everything would have happened.

#include "core/base/jobs.hpp"
#include "core/base/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

// In the order in which one of several equally long paths is chosen.
enum class EdgeKind : std::uint8_t {
    Run,         // a GPU event, from its begin to its end
    StreamOrder, // the end of one GPU event → the begin of the next on its stream
    StreamWait,  // the end of a GPU event → the begin of one on another stream that waits for it
    Sync,        // the end of a GPU event → the return of the call that waited for it
    Launch,      // the begin of a call → the begin of a GPU event it launched
    Thread,      // from one begin or end on a CPU thread to the next
    HandOver,    // a CPU thread goes on where another one stopped
    Outside,     // what it waited for is not in the graph
    Tail,        // → the end of the window
};
inline constexpr std::size_t kEdgeKinds = 9;

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
    Unknown,
};
inline constexpr std::size_t kBoundBy = 10;
bool is_work(BoundBy);  // something ran, as opposed to delays

struct GraphEdge {
    std::uint32_t from;
    std::uint32_t to;
    std::int64_t weight = 0;   // ns it takes at least; at most the time between its nodes
    EventId event = kNoEvent;  // whose time it is
    EdgeKind kind = EdgeKind::Thread;
    BoundBy bound_by = BoundBy::Unknown;
    bool guessed = false;      // the trace does not say it, it only fits
    bool chosen = false;
};

// Node 0 is the source, at time 0; times of nodes count from it and are not negative.
struct EventGraph {
    std::vector<std::int64_t> time;      // by node
    std::vector<GraphEdge> edges;        // by target, then kind
    std::vector<std::uint32_t> first;    // edges[first[n] .. first[n + 1]) lead to node n
    std::vector<std::uint32_t> order;    // all nodes, each after those its edges come from
};

// Orders the nodes, lets go of edges that would close a circle among nodes of one instant, and stretches one edge into
// each node so that it is reached exactly when it was: the one whose source was last. Nodes that nothing leads to hang
// on the source. Edges must not lead back in time. O((nodes + edges) log). Fails when cancelled.
Result<EventGraph> settle_graph(std::vector<std::int64_t> time, std::vector<GraphEdge> edges, const JobContext&);

struct LongestPath {
    std::int64_t length = 0;
    std::vector<std::uint32_t> edges;  // from the source to the target
};

// With these weights, one per edge. Of equally long paths the one with the most work on it, then that whose last edge
// is of the first kind. O(nodes + edges). Fails when cancelled.
Result<LongestPath> find_longest_path(const EventGraph&, std::span<const std::int64_t> weights, std::uint32_t target,
                                      const JobContext&);

}  // namespace core
