#include "core/query/track_rows.hpp"

#include <algorithm>

namespace core {
namespace {

bool is_of(const RankTrace& trace, const Track& track, const TrackRows& rows) {
    return track.kind == rows.kind && trace.text(track.tid) == rows.thread &&
           trace.text(trace.processes[track.process].pid) == rows.process;
}

void mark_rows(const RankTrace& trace, const TrackRows& rows, std::vector<bool>& lanes) {
    if (rows.whole_rank) return lanes.assign(lanes.size(), true);
    for (const Track& track : trace.tracks) {
        if (!is_of(trace, track, rows)) continue;
        for (std::uint32_t row = rows.first_row; row < std::min(rows.last_row, track.lane_count); ++row)
            lanes[track.first_lane + row] = true;
    }
}

}  // namespace

LaneChoice choose_lanes(const Run& run, const std::vector<TrackRows>& rows) {
    if (rows.empty()) return {};
    LaneChoice choice;
    for (const RankSlot& rank : run.ranks()) {
        std::vector<bool>& lanes = choice.emplace_back(rank.trace().lanes.size());
        for (const TrackRows& of_rank : rows)
            if (of_rank.rank == rank.key) mark_rows(rank.trace(), of_rank, lanes);
    }
    return choice;
}

std::optional<std::uint32_t> find_track(const RankTrace& trace, const TrackRows& rows) {
    if (rows.whole_rank) return std::nullopt;
    for (std::uint32_t i = 0; i < trace.tracks.size(); ++i)
        if (is_of(trace, trace.tracks[i], rows)) return i;
    return std::nullopt;
}

TrackRows name_rows(const RankSlot& rank, std::uint32_t track, std::uint32_t first_row, std::uint32_t last_row) {
    const RankTrace& trace = rank.trace();
    const Track& named = trace.tracks[track];
    return {.rank = rank.key,
            .whole_rank = false,
            .process = std::string(trace.text(trace.processes[named.process].pid)),
            .thread = std::string(trace.text(named.tid)),
            .kind = named.kind,
            .first_row = first_row,
            .last_row = last_row};
}

}  // namespace core
