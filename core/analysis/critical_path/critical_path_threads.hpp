#pragma once
// One CPU thread as a chain: a node at every begin and end of an operator or call, joined by the
// time of the innermost open one. Part of building the critical-path graph.

#include "core/analysis/engine/event_graph.hpp"
#include "core/store/rank_trace.hpp"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace core {

inline constexpr std::uint32_t kNoNode = 0xFFFFFFFFu;

// Nodes and edges in order of creation; times count from the window's begin.
struct GraphDraft {
    NodeTimes time;
    GraphEdges edges;
    NodeNumbers thread_edge;                     // by node: the edge along its thread; kNoNode on a stream

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

// The nodes of the events of threads in a window, by stretches of neighbouring events.
class EventNodes {
public:
    void add_events(std::size_t first, std::size_t last);  // behind those added before
    std::uint32_t begin_of(EventId e) const { return at(e, &Nodes::begin); }  // kNoNode: it has none
    std::uint32_t end_of(EventId e) const { return at(e, &Nodes::end); }
    void set_begin(EventId e, std::uint32_t node) { nodes_[*find(e)].begin = node; }  // e: one of those added
    void set_end(EventId e, std::uint32_t node) { nodes_[*find(e)].end = node; }
    template <class Body>
    void for_each(const Body& body) const {
        for (const Stretch& stretch : stretches_)
            for (std::size_t e = stretch.first; e < stretch.last; ++e) {
                const Nodes& nodes = nodes_[stretch.place + e - stretch.first];
                body(EventId{static_cast<std::uint32_t>(e)}, nodes.begin, nodes.end);
            }
    }

private:
    struct Nodes {
        std::uint32_t begin = kNoNode, end = kNoNode;
    };
    struct Stretch {
        std::size_t first, last;  // event numbers
        std::size_t place;        // of the first, in nodes_
    };
    std::optional<std::size_t> find(EventId e) const;
    std::uint32_t at(EventId e, std::uint32_t Nodes::*node) const {
        const std::optional<std::size_t> place = find(e);
        return place ? nodes_[*place].*node : kNoNode;
    }
    std::vector<Stretch> stretches_;  // rising
    std::vector<Nodes> nodes_;
};

// Numbers of the events of a lane that overlap the window, from the first to one past the last; an instant at its begin
// is inside. O(log events).
std::pair<std::size_t, std::size_t> find_events_inside(const RankTrace&, const Lane&, RankRange window);

// Classification of the events of a thread.
struct ThreadRules {
    const RankTrace* trace;
    RankRange window;
    RankTime stop;  // threads with step marks get a node here
    std::vector<bool> data_loading;  // by name: data loader marks
    std::vector<bool> backward;  // by name: the backward pass
    std::vector<bool> launches;  // by event: has launched GPU events
    std::function<bool(EventId)> is_chosen;  // empty: no event is chosen
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

// Sets the nodes of every operator and call of the track that overlaps the window. Fails if cancelled.
Result<ThreadChain> build_thread_chain(const ThreadRules&, std::uint32_t track, GraphDraft&, EventNodes&,
                                       const JobContext&);

}  // namespace core
