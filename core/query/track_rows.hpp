#pragma once
// Rows of tracks named so that the names stay right while ranks arrive and in another run of the same shape: by rank,
// process, thread or stream, and depth.

#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

struct TrackRows {
    RankKey rank;
    bool whole_rank = false;     // everything of it; the rest says nothing then
    std::string process;         // pid and tid as written
    std::string thread;
    TrackKind kind = TrackKind::Thread;
    std::uint32_t first_row = 0; // half-open
    std::uint32_t last_row = 0;
    bool operator==(const TrackRows&) const = default;
};

// By slot and lane of the rank: whether it is among the rows. Empty if there are no rows: then every lane is meant.
using LaneChoice = std::vector<std::vector<bool>>;
LaneChoice choose_lanes(const Run&, const std::vector<TrackRows>&);

// The track they are of; nullopt if the trace has none, or for a whole rank.
std::optional<std::uint32_t> find_track(const RankTrace&, const TrackRows&);

TrackRows name_rows(const RankSlot&, std::uint32_t track, std::uint32_t first_row, std::uint32_t last_row);

}  // namespace core
