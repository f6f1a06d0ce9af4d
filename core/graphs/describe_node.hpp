#pragma once
// One node of a replayed graph in words, for the details of an event.

#include "core/index/rank_index.hpp"

#include <optional>
#include <string>

namespace core {

struct NodeWords {
    std::string place;       // "312 of 544, graph 23, replay 3 of 12"
    std::string operator_name{};  // "aten::mm [[32,4096],[4096,24576]]"; empty: unknown
    std::string source{};    // "captured, from the capture of size 32 (certain)", "undecided: no capture is here"
    std::string stack{};     // Python lines at its capture, innermost first; empty: none
};

// Absent outside of replays; also until something asked for the rank's attribution, which this never waits for.
std::optional<NodeWords> describe_node(const RankIndex&, EventId gpu);

struct ReplayWords {
    EventId first, last;  // of its nodes: which begins first, and which ends last
    std::string text;     // "graph 23, 544 kernels, captured for size 32"
};
// The replay of a node; absent as above. O(nodes of the replay).
std::optional<ReplayWords> describe_replay(const RankIndex&, EventId gpu);

}  // namespace core
