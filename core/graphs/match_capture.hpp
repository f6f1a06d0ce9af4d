#pragma once
// Which dispatch of a capture each node of a replay is, by order and by name. Names are numbers that the caller gives
// to equal texts of different traces. O(nodes + dispatches).

#include "core/graphs/graph_captures.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace core {

struct NodeName {
    std::uint32_t name = 0;  // of a kernel; 0: not said
    NodeKind kind = NodeKind::Kernel;
    bool operator==(const NodeName&) const = default;
};

enum class Certainty : std::uint8_t { Undecided, Probable, Certain };

inline constexpr std::uint32_t kNoDispatch = 0xFFFFFFFFu;

struct CaptureMatch {
    Certainty certainty = Certainty::Undecided;
    std::vector<std::uint32_t> dispatches;  // by node; kNoDispatch: undecided; empty if no node is decided
    std::vector<std::uint32_t> missing;  // dispatches without a node, where only one way leaves them
    std::uint32_t decided = 0;  // nodes
    bool names_said = true;  // by every dispatch
    std::string reason;  // it is not certain
};

// Certain: k-th with k-th, where the names agree on every node. Probable: k-th with k-th of as many where calls do not
// name their kernels; nodes in the order of the dispatches with some of either missing, as far as there is only one
// way; the same names in another order. Else undecided, with the reason.
CaptureMatch match_capture(std::span<const NodeName> nodes, std::span<const NodeName> dispatches, bool has_children);

}  // namespace core
