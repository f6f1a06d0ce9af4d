#pragma once
// One sweep over the sorted events of a track that finds the parent of each event and the event of
// each flow point. Internal to core/store.

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

// Parent = the latest-started event still open; an event that ends where another starts is closed there. A
// child that outlives its parent is cut at the parent's end. Two instants at one time are siblings.
class TrackWalk {
public:
    // Writes the event of each flow point to flow_event; both spans must outlive the walk.
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
