#pragma once
// Processes and tracks of a trace in storage and display order, with the staged rows of each.
// Internal to core/store.

#include "core/store/staged_events.hpp"

namespace core {

struct LaidTrack {
    std::uint32_t thread;               // into Staged::threads
    TrackKind kind;
    std::uint32_t process;
    NameId tid;
    NameId name;
    std::int64_t stream;
    std::int64_t sort_index;
    std::vector<std::uint32_t> rows;    // staged rows in file order; emptied once the track is sorted
    std::uint32_t first_lane = 0;
    std::uint32_t lane_count = 0;
    Track as_track() const {
        return {.process = process,
                .kind = kind,
                .tid = tid,
                .name = name,
                .stream = stream,
                .sort_index = sort_index,
                .first_lane = first_lane,
                .lane_count = lane_count};
    }
};

struct TrackLayout {
    std::vector<Process> processes;
    std::vector<LaidTrack> tracks;
    std::unordered_map<std::uint32_t, std::uint32_t> process_of_pid;  // pid name id → into processes
    std::vector<std::size_t> flow_track_of_thread;                    // track of a thread's flow points
    std::size_t event_count = 0;
};

// Unusable if the job was cancelled.
TrackLayout build_track_layout(Staged&, const JobContext&);

}  // namespace core
