#pragma once
// Finds what GPU events wait for where edges of graphs are recorded: nodes for their predecessors in the graph; first
// nodes of a replay for what precedes its launch on the launching stream, and what follows there for its last nodes.
// Other order of the nodes of one replay on a stream is placement. Part of building the critical-path graph.

#include "core/analysis/critical_path/critical_path_streams.hpp"
#include "core/analysis/critical_path/critical_path_threads.hpp"

#include <span>
#include <vector>

namespace core {

class ReplayOrder {
public:
    // All outlive this. Queues are sealed.
    ReplayOrder(const ReplayEdges&, std::span<const StreamQueue>);

    bool is_known(const StreamEvent& e) const { return edges_.are_known(e.replay); }
    struct Waits {
        std::vector<const StreamEvent*>
            in_graph{};  // recorded predecessors; empty: a first node, which its launch begins
        const StreamEvent* on_stream = nullptr;  // precedes it by order of streams
        std::uint32_t after_replay = kNoReplay;  // or all last nodes of this one do
        const StreamEvent* placed_after = nullptr;  // shares a lane of the graph's executor, without depending on it
    };
    // The i-th event of a queue.
    Waits waits_of(const StreamQueue&, std::size_t i) const;
    std::span<const StreamEvent* const> last_of(std::uint32_t replay) const { return replays_[place_[replay]].last; }

private:
    struct Replay {
        std::vector<const StreamEvent*> last{};  // nodes that no other node waits for
        const StreamEvent* first = nullptr;  // the earliest without predecessors: it is on the launching stream
        std::vector<std::pair<EventId, const StreamEvent*>> nodes{};  // sorted
    };
    void collect_nodes();
    void find_ends(std::uint32_t replay);
    // Nodes of graphs on streams that did not launch them wait for nothing there, and nothing there waits for them.
    bool is_foreign(const StreamEvent&) const;
    void add_before(const StreamQueue&, const StreamEvent&, Waits& waits) const;
    const StreamEvent* find_node(const Replay&, EventId) const;
    std::vector<const StreamEvent*> find_predecessors(const StreamEvent&) const;

    const ReplayEdges& edges_;
    std::span<const StreamQueue> queues_;
    std::vector<std::uint32_t> place_;  // by replay: into replays_, kNoReplay: its edges are not known
    std::vector<Replay> replays_;
    std::vector<std::vector<std::uint32_t>>
        counted_;  // by queue and place in by_end: the last that is not foreign, + 1
};

}  // namespace core
