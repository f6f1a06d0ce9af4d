#pragma once
// What a frame of the timeline showed, kept for scripts and tests: they read it as JSON and ask where an event is.

#include "ui/timeline/timeline_parts.hpp"

namespace ui {

struct ShownTimeline {
    PlotShape shape;                    // its run is null when nothing was shown
    std::size_t first_row = 0;
    std::size_t last_row = 0;
    RankLooks looks;        // of the visible ranks
    core::EventRef selected;
    core::EventRef hovered;
    std::optional<core::RunRange> area;
    bool find_open = false;
    std::string alignment;              // in words; empty with one run
    std::vector<GhostStep> ghosts;
    core::FoundEventsPtr only_here;     // null: not known
    std::size_t only_here_names = 0;
    bool marks_only_here = false;
};

void describe_timeline(const ShownTimeline&, const TimelineStats&, nlohmann::json& out);
std::optional<Box> find_place(const ShownTimeline&, core::EventRef);

}  // namespace ui
