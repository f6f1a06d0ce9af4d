#pragma once
// Turns the rows of one track into events: sorted, assigned to lanes, nested, marked and tied to
// flow arrows. move_to_columns writes them once all tracks are done. Internal to core/store.
// Threads: tracks may be assembled concurrently; each writes only its own events, rows and flows.

#include "core/store/assemble/track_layout.hpp"
#include "core/store/assemble/track_walk.hpp"

namespace core {

struct TrackTask {
    StagedTimes& times;
    std::span<StagedEvent> events;
    const StringPool& pool;
    std::span<const bool> step_names;  // by name id: marks a step if the category allows
    std::span<const bool> step_categories;  // by category
    std::span<EventId> parent;  // by event
    std::span<EventId> event_of_row;
    std::span<EventId> flow_event;  // by flow
    EventId first_event{0};  // first event of the track
    bool keeps_parents = false;
    bool in_order = false;  // a stream: its events follow one another
    std::span<const FlowPoint> points;  // sorted by time
};

struct AssembledTrack {
    std::vector<Lane> lanes;  // the caller sets Lane::track
    std::vector<EventId> steps;  // events that mark a step
    std::uint64_t cut = 0;  // events that outlive their parent
    std::uint32_t first_cut_row = kNoRow;
    std::uint64_t shortened = 0;  // impossible durations
    std::uint32_t first_shortened_row = kNoRow;
    std::int64_t first_shortened_ns = 0;  // as written
};

// rows: those of the track, in file order; emptied. Unusable if the job was cancelled.
AssembledTrack assemble_track(const TrackTask& task, std::vector<std::uint32_t>& rows, const JobContext&);

}  // namespace core
