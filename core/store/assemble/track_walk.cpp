#include "core/store/assemble/track_walk.hpp"

namespace core {

TrackWalk::Place TrackWalk::enter(EventId event, std::int64_t start_ns, std::int64_t end_ns) {
    bind_before(start_ns);
    for (const std::uint32_t flow : waiting_) flow_event_[flow] = event;
    waiting_.clear();
    while (!open_.empty() && open_.back().end_ns <= start_ns) open_.pop_back();
    Place place;
    if (!open_.empty()) {
        place = {open_.back().event, end_ns > open_.back().end_ns};
        if (place.cut) end_ns = open_.back().end_ns;
    }
    open_.push_back({.event = event, .start_ns = start_ns, .end_ns = end_ns});
    return place;
}

void TrackWalk::finish() {
    while (next_point_ < points_.size()) bind(points_[next_point_++]);
}

void TrackWalk::bind_before(std::int64_t time_ns) {
    for (; next_point_ < points_.size(); ++next_point_) {
        const FlowPoint& point = points_[next_point_];
        if (point.time_ns > time_ns || (point.time_ns == time_ns && !point.next_event)) return;
        bind(point);
    }
}

void TrackWalk::bind(const FlowPoint& point) {
    if (point.next_event) {
        waiting_.push_back(point.flow);
        return;
    }
    while (!open_.empty() && open_.back().end_ns <= point.time_ns && open_.back().start_ns != point.time_ns) {
        open_.pop_back();
    }
    if (!open_.empty()) flow_event_[point.flow] = open_.back().event;
}

}  // namespace core
