#pragma once
// Edges between nodes of replays within their graph, where a trace (arrows between nodes) or a file of graph data next
// to it says so; and the host callbacks and event records of replays, which are not GPU work.

#include "core/base/jobs.hpp"
#include "core/index/graph_replays.hpp"
#include "core/index/rank_index.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace core {

struct OtherNode {
    EventId event;
    std::uint32_t replay = kNoReplay;  // kNoReplay: none or several could be its
    bool is_callback = false;  // else a record of an event
};

struct ReplayEdge {
    EventId from, to;
    auto operator<=>(const ReplayEdge&) const = default;
};

enum class EdgeSource : std::uint8_t { Unknown, Arrows, GraphData };

class ReplayEdges {
public:
    GraphReplays replays;
    std::vector<OtherNode> others;      // by event
    std::vector<EdgeSource> source;     // by replay
    std::vector<ReplayEdge> edges;      // of the first replay by target, then those of the second, …
    std::vector<std::uint32_t> first;   // by replay: into edges; and the end
    std::uint64_t unplaced = 0;         // of others: without a replay

    bool are_known(std::uint32_t replay) const { return replay != kNoReplay && source[replay] != EdgeSource::Unknown; }
    std::span<const ReplayEdge> of_replay(std::uint32_t replay) const {
        return std::span(edges).subspan(first[replay], first[replay + 1] - first[replay]);
    }
    const OtherNode* find_other(EventId) const;  // null: it isn't one
    // The replay of a node of either kind, or kNoReplay.
    std::uint32_t replay_of(EventId) const;
};

// Empty if cancelled. O(nodes + edges), once per rank and its graphs' sources.
std::shared_ptr<const ReplayEdges> replay_edges_of(const RankIndex&, const JobContext&);

}  // namespace core
