#pragma once
// One track's rows become events: sorted, laid into lanes, hung below each other, tied to flow arrows and written to
// the columns. Internal to core/store.
// Threads: tracks may be assembled at once; each writes only what belongs to its own events, rows and flows.

#include "core/store/track_layout.hpp"
#include "core/store/track_walk.hpp"

namespace core {

// By event.
struct EventColumns {
    std::span<RankTime> start;
    std::span<Duration> duration;
    std::span<NameId> name;
    std::span<std::uint16_t> category;
    std::span<std::uint8_t> flags;
    std::span<EventId> parent;
    std::span<std::uint32_t> order;

    std::int64_t start_ns(EventId e) const { return ns_of(start[index_of(e)]); }
    bool has(EventId e, std::uint8_t flag) const { return (flags[index_of(e)] & flag) != 0; }
};

struct TrackTask {
    std::span<const StagedEvent> staged;
    std::span<const bool> step_names;       // by name id: marks a step if the category allows
    std::span<const bool> step_categories;  // by category
    EventColumns columns;
    std::span<EventId> event_of_row;
    std::span<EventId> flow_event;          // by flow
    EventId first_event{0};                 // of the track
    bool keeps_parents = false;
    std::span<const FlowPoint> points;      // by time
};

struct AssembledTrack {
    std::vector<Lane> lanes;                // Lane::track is left to the caller
    std::vector<EventId> steps;             // events that mark one
    std::uint64_t cut = 0;                  // events that outlive their parent
    EventId first_cut = kNoEvent;
};

// rows: of the track, in file order; emptied.
AssembledTrack assemble_track(const TrackTask& task, std::vector<std::uint32_t>& rows);

}  // namespace core
