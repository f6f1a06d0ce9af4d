#pragma once
// The critical path of a rank on the timeline: stretches of pixel columns per row, and arrows to
// the row where it continues. Pure; any thread. lay_path is O(stretches) and only repeated when
// rows open or close; the others cost columns: items that share a column are skipped by search.

#include "ui/model/panels/critical_path_model.hpp"
#include "ui/timeline/scene/collect_visible.hpp"

namespace ui {

struct PathRow {
    std::vector<core::RankRange> work;    // ascending, with gaps in between
    std::vector<core::RankRange> waits;
};

struct PathTurn {
    core::RankTime at{};
    std::uint32_t from = 0;               // rows
    std::uint32_t to = 0;
    bool operator==(const PathTurn&) const = default;
};

struct PathLayout {
    std::vector<PathRow> rows;            // starting with the rank's first row
    std::vector<PathTurn> arrows;         // between tracks, by time
    std::vector<PathTurn> stairs;         // between rows of one track
};

// row_of_lane: for each lane of the rank, counted from the rank's first row.
PathLayout lay_path(const CriticalPath&, std::span<const std::uint32_t> row_of_lane);

// Appends what is inside the plot, left to right, with at least one pixel between stretches. Each range has at least
// one column.
void collect_path_spans(std::span<const core::RankRange>, const core::RankSlot&, const TimeView&,
                        std::vector<PixelSpan>& out);

struct PathArrow {
    std::int32_t x = 0;                   // column
    std::uint32_t from = 0;               // rows
    std::uint32_t to = 0;
};
// Takes the first of the turns that share a stretch of `spacing` columns. Stretches are anchored in time, so that
// arrows don't jump when the view is panned.
void collect_path_arrows(std::span<const PathTurn>, const core::RankSlot&, const TimeView&, double spacing,
                         std::vector<PathArrow>& out);

// Number of stretches that overlap the plot's time range.
std::size_t count_stretches(std::span<const PathStretch>, const core::RankSlot&, const TimeView&);

}  // namespace ui
