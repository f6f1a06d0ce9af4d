#pragma once
// One sweep over the sorted events of a track that finds, for each event, the one it lies in, and for
// each flow point, the event it is tied to. Internal to core/store.

#include "core/base/units.hpp"
#include "core/store/track_order.hpp"

#include <span>
#include <vector>

namespace core {

// A flow's end on this track. Points must be sorted by time.
struct FlowPoint {
    std::int64_t time_ns;
    std::uint32_t flow;       // where to write the bound event
    bool next_event;          // binds to the next event that starts, not to the enclosing one
};

struct WalkResult {
    std::vector<std::uint32_t> parent;  // position in keys, or kNoRow at roots
    std::vector<bool> cut;              // outlives its parent
    std::vector<std::uint32_t> bound;   // per flow point: position in keys, or kNoRow
};

// Parent = the latest-started event still open; an event that ends where another starts is not open there.
// An event that outlives its parent is cut at the parent's end. Two moments at one instant are siblings.
WalkResult walk_track(std::span<const TrackKey> keys, std::span<const FlowPoint> points);

}  // namespace core
