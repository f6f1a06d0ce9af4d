#pragma once
// Replays of CUDA and HIP graphs in one trace: which GPU events one launch of a graph ran, and their ordinals. A graph
// launch is found by its name (cudaGraphLaunch, hipGraphLaunch, …), else by the graph id of its events. O(events).

#include "core/base/jobs.hpp"
#include "core/store/rank_trace.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

struct GraphReplay {
    EventId call = kNoEvent;  // kNoEvent: the launch was not recorded
    std::int64_t graph = 0;  // id of the executable graph; 0: not recorded
    bool by_id = false;  // ordinals follow node ids, which count up as nodes are created; else times
    std::uint32_t first = 0;  // into GraphReplays::nodes
    std::uint32_t count = 0;
};

inline constexpr std::uint32_t kNoReplay = 0xFFFFFFFFu;

struct GraphReplays {
    std::vector<GraphReplay> replays;  // by their first node's start
    std::vector<EventId> nodes;  // of the first replay by ordinal, then those of the second, …
    std::vector<std::uint32_t> of_event;  // by event: into replays, or kNoReplay; empty without replays

    std::span<const EventId> nodes_of(const GraphReplay& replay) const {
        return std::span(nodes).subspan(replay.first, replay.count);
    }
    std::uint32_t replay_of(EventId e) const {
        return index_of(e) < of_event.size() ? of_event[index_of(e)] : kNoReplay;
    }
};

GraphReplays find_replays(const RankTrace&, const JobContext&);

// Key of a node within its process: (graph id << 32) | node. Node ids have 64 bits, with the graph in the upper half,
// or the lower 32 alone; node 0 is a node, graph 0 is none. Absent: no ids, or two that contradict each other.
std::optional<std::uint64_t> find_node_key(std::optional<std::int64_t> graph, std::optional<std::int64_t> node);

}  // namespace core
