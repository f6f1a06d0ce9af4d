#pragma once
// One track's rows become events: sorted, laid into lanes, hung below each other, marked and tied to flow arrows. They are
// written to the columns once all tracks are done (move_to_columns). Internal to core/store.
// Threads: tracks may be assembled at once; each writes only what belongs to its own events, rows and flows.

#include "core/store/build/track_layout.hpp"
#include "core/store/build/track_walk.hpp"

namespace core {

struct TrackTask {
    const StagedTimes& times;
    std::span<StagedEvent> events;
    std::span<const bool> step_names;  // by name id: marks a step if the category allows
    std::span<const bool> step_categories;  // by category
    std::span<EventId> parent;  // by event
    std::span<EventId> event_of_row;
    std::span<EventId> flow_event;  // by flow
    EventId first_event{0};  // of the track
    bool keeps_parents = false;
    std::span<const FlowPoint> points;  // by time
};

struct AssembledTrack {
    std::vector<Lane> lanes;  // Lane::track is left to the caller
    std::vector<EventId> steps;  // events that mark one
    std::uint64_t cut = 0;  // events that outlive their parent
    std::uint32_t first_cut_row = kNoRow;
};

// rows: of the track, in file order; emptied. Of no use if the job was cancelled.
AssembledTrack assemble_track(const TrackTask& task, std::vector<std::uint32_t>& rows, const JobContext&);

}  // namespace core
