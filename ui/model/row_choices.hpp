#pragma once
// Pinned and hidden rows of tracks (streams, threads, annotations of streams), and pinned ones of counters. A row's
// name holds while ranks arrive, on both sides of a comparison and in a session file, because numbers of processes and
// threads are no part of it. Pure.

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
    std::int64_t rank = kEveryRank;  // as RankChoices calls it
    std::string track;  // of name_tracks() or name_counters()
    bool operator==(const RowName&) const = default;
    std::strong_ordering operator<=>(const RowName&) const = default;
};

// By track: "stream 7", "GPU 2 stream 7" where a rank has several devices, "thread pt_autograd_ 2" of the second with
// that name. No two are equal. O(tracks · log tracks).
std::vector<std::string> name_tracks(const core::RankTrace&);
// By series: "counter memory", "counter memory · 2" of the second with that name. Series of one counter share it.
std::vector<std::string> name_counters(const core::RankTrace&);
bool holds_events(const core::RankTrace&, const core::Track&);

// Tracks of a run that rows name. A rank without any has an empty vector.
struct TrackChoice {
    std::vector<std::vector<bool>> tracks;  // by slot and track
    std::vector<std::vector<bool>> counters{};  // by slot and series
    std::size_t count = 0;  // of chosen tracks that hold events

    bool has(std::uint32_t slot, std::uint32_t track) const {
        return slot < tracks.size() && track < tracks[slot].size() && tracks[slot][track];
    }
};
// names: by slot, what rows call each rank; empty: their own keys.
TrackChoice choose_tracks(const core::Run&, std::span<const RowName> rows, std::span<const std::int64_t> names);
// Whether one of the rows names the track.
bool has_track(std::span<const RowName> rows, std::int64_t rank, std::string_view track);

// Sorted sets. Adding a row of every rank removes the rows of single ranks that it covers.
void add_row(std::vector<RowName>& rows, const RowName&);
// The track of the rank is named no longer; a row of every rank goes as a whole.
void remove_row(std::vector<RowName>& rows, std::int64_t rank, std::string_view track);

}  // namespace ui
