#pragma once
// Contents of the timeline's last frame, for scripts and tests: as JSON, and event positions.

#include "ui/timeline/parts/timeline_parts.hpp"

namespace ui {

struct ShownTimeline {
    PlotShape shape;                    // its run is null if nothing was shown
    PlotShape pinned{};  // band of pinned rows; its run is null without one
    std::size_t first_row = 0;
    std::size_t last_row = 0;
    RankLooks looks;        // of visible ranks
    core::EventRef selected;
    core::EventRef hovered;
    std::optional<core::RunRange> area;
    bool find_open = false;
    std::vector<std::int64_t> cut_gaps_ns{};
    std::string alignment;              // as text; empty with one run
    std::vector<GhostStep> ghosts;
    core::FoundEventsPtr unique_events;     // null: not known
    std::size_t unique_names = 0;
    bool marks_unique_events = false;
};

void describe_timeline(const ShownTimeline&, const TimelineStats&, nlohmann::json& out);
std::optional<Box> find_place(const ShownTimeline&, core::EventRef);

}  // namespace ui
