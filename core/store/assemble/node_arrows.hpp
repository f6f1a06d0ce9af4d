#pragma once
// Arrows between nodes of one replay of a graph. PyTorch writes them like arrows of launches, with ids from 2^40: from
// the end of a node to the begin of one that depends on it. Events of a stream overlap there, so the event at that time
// is not enough. Internal to core/store.

#include "core/store/assemble/track_layout.hpp"
#include "core/store/event_columns.hpp"

namespace core {

inline constexpr std::uint64_t kFirstNodeArrow = std::uint64_t{1} << 40;  // ids

// True if events of the trace are nodes of graphs: else no arrow is one between nodes.
bool has_graph_nodes(const Staged&);

// Binds the arrows on rows that have nodes, each to the node that ends or begins there (within 1 ns); of several to one
// of the launch that the other end has. Both ends lose their event where one has none.
// flow_event: by staged flow. O((nodes + arrows) log).
void bind_node_arrows(const Staged&, const EventColumns&, std::span<const LaidTrack> tracks,
                      std::span<const Lane> lanes, std::span<const EventId> event_of_row,
                      std::span<EventId> flow_event);

}  // namespace core
