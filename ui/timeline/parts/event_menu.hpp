#pragma once
// Context menu of an event on the timeline: filters by it, goes to others of its name, lists them, copies it, pins or
// hides its rank. A right click opens it and selects the event. Main thread only.

#include "ui/timeline/parts/timeline_parts.hpp"

namespace ui {

class EventMenu {
public:
    void draw(TimelineFrame&);

private:
    void draw_entries(TimelineFrame&);
    void draw_filters(TimelineFrame&);
    void draw_ways(TimelineFrame&);
    void draw_rank(TimelineFrame&);

    core::EventRef event_;
    std::uint64_t of_run_ = 0;
};

}  // namespace ui
