#pragma once
// Stable names of track rows (rank, process, thread or stream, depth), valid while ranks arrive and
// in other runs of the same shape.

#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

struct TrackRows {
    RankKey rank{};
    bool whole_rank = false;     // the whole rank; other members are unused
    std::string process{};       // pid and tid as written
    std::string thread{};
    TrackKind kind = TrackKind::Thread;
    std::uint32_t first_row = 0; // half-open
    std::uint32_t last_row = 0;
    bool operator==(const TrackRows&) const = default;
};

// By slot and lane of the rank: true if among the rows. Empty without rows: every lane is meant.
using LaneChoice = std::vector<std::vector<bool>>;
LaneChoice choose_lanes(const Run&, const std::vector<TrackRows>&);

// The track of the rows; nullopt if the trace has none, or for a whole rank.
std::optional<std::uint32_t> find_track(const RankTrace&, const TrackRows&);

TrackRows name_rows(const RankSlot&, std::uint32_t track, std::uint32_t first_row, std::uint32_t last_row);

}  // namespace core
