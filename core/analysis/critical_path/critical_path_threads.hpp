#pragma once
// One CPU thread as a chain: a node at every begin and end of an operator or call, joined by the
// time of the innermost open one. Part of building the critical-path graph.

#include "core/analysis/engine/event_graph.hpp"
#include "core/store/rank_trace.hpp"

#include <functional>
#include <vector>

namespace core {

inline constexpr std::uint32_t kNoNode = 0xFFFFFFFFu;

// Nodes and edges in order of creation; times count from the window's begin.
struct GraphDraft {
    std::vector<std::int64_t> time;
    std::vector<GraphEdge> edges;
    std::vector<std::uint32_t> thread_edge;      // by node: the edge along its thread; kNoNode on a stream

    std::uint32_t add_node(std::int64_t at) {
        time.push_back(at);
        thread_edge.push_back(kNoNode);
        return static_cast<std::uint32_t>(time.size() - 1);
    }
    // Skips edges that would lead back in time.
    bool link(const GraphEdge& edge) {
        if (time[edge.from] > time[edge.to]) return false;
        edges.push_back(edge);
        return true;
    }
};

// Classification of the events of a thread.
struct ThreadRules {
    const RankTrace* trace;
    RankRange window;
    RankTime stop;                               // threads with step marks get a node here
    std::vector<bool> data_loading;              // by name: data loader marks
    std::vector<bool> backward;                  // by name: the backward pass
    std::vector<bool> launches;                  // by event: has launched GPU events
    std::function<bool(EventId)> is_chosen;      // empty: no event is chosen
};

struct ThreadChain {
    std::uint32_t track = 0;
    std::uint32_t first_node = kNoNode;  // nodes are consecutive; kNoNode: the chain is empty
    std::uint32_t last_node = kNoNode;  // one past the last
    std::vector<std::uint32_t> gaps;  // edges during which nothing was open
    std::uint32_t stop_node = kNoNode;
    bool has_backward = false;
    bool has_launches = false;
    bool has_steps = false;
};

// begin_of, end_of: by event; set for every operator and call that overlaps the window. Fails if
// cancelled.
Result<ThreadChain> build_thread_chain(const ThreadRules&, std::uint32_t track, GraphDraft&,
                                       std::vector<std::uint32_t>& begin_of, std::vector<std::uint32_t>& end_of,
                                       const JobContext&);

}  // namespace core
