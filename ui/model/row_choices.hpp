#pragma once
// Pinned and hidden rows of tracks (streams, threads, annotations of streams), and pinned rows of
// counters. A row's name omits process and thread numbers, so it stays valid while ranks arrive, on
// both sides of a comparison and in a session file. Pure.

#include "core/index/run.hpp"

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace ui {

inline constexpr std::int64_t kEveryRank = std::numeric_limits<std::int64_t>::min();

struct RowName {
    std::int64_t rank = kEveryRank;  // as named in RankChoices
    std::string track;  // from name_tracks() or name_counters()
    bool operator==(const RowName&) const = default;
    std::strong_ordering operator<=>(const RowName&) const = default;
};

// Unique name of each track: "stream 7", "GPU 2 stream 7" for a rank with several devices, "thread pt_autograd_ 2" for
// the second thread with that name. O(tracks · log tracks).
std::vector<std::string> name_tracks(const core::RankTrace&);
// Name of each series: "counter memory", "counter memory · 2" for the second counter with that name. All series of a
// counter share its name.
std::vector<std::string> name_counters(const core::RankTrace&);
bool holds_events(const core::RankTrace&, const core::Track&);

// Tracks of a run that match the rows. The vector of a rank without any is empty.
struct TrackChoice {
    std::vector<std::vector<bool>> tracks;  // by slot and track
    std::vector<std::vector<bool>> counters{};  // by slot and series
    std::size_t count = 0;  // chosen tracks with events

    bool has(std::uint32_t slot, std::uint32_t track) const {
        return slot < tracks.size() && track < tracks[slot].size() && tracks[slot][track];
    }
};
// names: by slot, the rank's name in rows; empty: its own key.
TrackChoice choose_tracks(const core::Run&, std::span<const RowName> rows, std::span<const std::int64_t> names);
// True if one of the rows names the track.
bool has_track(std::span<const RowName> rows, std::int64_t rank, std::string_view track);

// Keeps rows sorted and unique. Adding a row for every rank removes the rows of single ranks that it covers.
void add_row(std::vector<RowName>& rows, const RowName&);
// Removes the rank's row of the track; a row for every rank is removed as a whole.
void remove_row(std::vector<RowName>& rows, std::int64_t rank, std::string_view track);

}  // namespace ui
