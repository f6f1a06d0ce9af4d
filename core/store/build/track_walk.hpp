#pragma once
// One sweep over the sorted events of a track that finds, for each event, the one it lies in, and for
// each flow point, the event it is tied to. Internal to core/store.

#include "core/base/units.hpp"

#include <span>
#include <vector>

namespace core {

// A flow's end on this track. Points must be sorted by time.
struct FlowPoint {
    std::int64_t time_ns;
    std::uint32_t flow;       // into flow_event
    bool next_event;          // binds to the next event that starts, not to the enclosing one
};

// Parent = the latest-started event still open; an event that ends where another starts is not open there.
// An event that outlives its parent is cut at the parent's end. Two moments at one instant are siblings.
class TrackWalk {
public:
    // flow_event: where the event of each flow's point is written; it must outlive the walk, as must the points.
    TrackWalk(std::span<const FlowPoint> points, std::span<EventId> flow_event)
        : points_(points), flow_event_(flow_event) {}

    struct Place {
        EventId parent = kNoEvent;
        bool cut = false;     // outlives its parent
    };
    Place enter(EventId event, std::int64_t start_ns, std::int64_t end_ns);  // in sorted order
    void finish();                                                           // after the last event

private:
    struct Open {
        EventId event;
        std::int64_t start_ns;
        std::int64_t end_ns;  // cut to the parent's
    };
    void bind_before(std::int64_t time_ns);
    void bind(const FlowPoint& point);

    std::span<const FlowPoint> points_;
    std::span<EventId> flow_event_;
    std::size_t next_point_ = 0;
    std::vector<std::uint32_t> waiting_;  // flows that bind to the next event
    std::vector<Open> open_;
};

}  // namespace core
