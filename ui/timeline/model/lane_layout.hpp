#pragma once
// Rows of the timeline, top to bottom, with their heights: from a Run, what the user opened or
// closed, and row sizes. Per rank its own row, below it what the kinds of rows add (row_kind.hpp). Tracks without
// events are left out. Built again only when one of its inputs changes: O(rows); finding a row is O(log rows).

#include "ui/timeline/model/rank_rows.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

// To be chosen once per set of ranks, so that a resized window changes nothing: every rank's streams if they
// (nearly) fit into `height`, in compact rows if need be.
struct Arrangement {
    Opening opening = Opening::Everything;
    bool compact = false;
    float grow = 1;  // of rows of bars where there is room for more than all
    float rank = 0;  // height of a rank's row at scale 1, lower where there are many; 0: as the sizes say
    bool operator==(const Arrangement&) const = default;
    RowSizes sizes(float scale) const;
};
Arrangement choose_arrangement(const core::Run&, float scale, float height);

class LaneLayout {
public:
    LaneLayout() = default;
    // Without an order every rank is shown, by number. Pinned ranks are not: they are in the band of pinned rows.
    LaneLayout(const core::Run&, const RowChoices&, Opening, const RowSizes&, SeriesByRank = {}, RankOrderPtr = {},
               const TrackChoice& hidden = {});
    // The pinned ranks with their rows, then the pinned tracks and counters, rank by rank in this order.
    static LaneLayout of_pinned(const core::Run&, const RowChoices&, Opening, const RowSizes&, SeriesByRank,
                                const RankOrderPtr&, const TrackChoice& pinned, const TrackChoice& hidden);
    // Other places for the rows, which rise and do not overlap, with gaps between them if need be.
    void place(std::span<const float> tops, float height);

    const std::vector<LayoutRow>& rows() const { return rows_; }
    float height() const { return height_; }
    // Rows that overlap [top, bottom): first and one past the last.
    std::pair<std::size_t, std::size_t> find_visible(float top, float bottom) const;
    std::optional<std::size_t> find_row_at(float y) const;
    // The row that shows a lane; if it is closed, the track, group or rank that holds it, or the folded group of ranks.
    // None of a hidden rank.
    std::optional<std::size_t> find_lane_row(const core::Run&, std::uint32_t slot, std::uint32_t lane) const;
    // The rows of a rank, first and one past the last: they lie together. Empty of a hidden one and in a folded group.
    std::pair<std::size_t, std::size_t> find_rank_rows(std::uint32_t slot) const;
    // The row of the folded group that has the rank.
    std::optional<std::size_t> find_folded(std::uint32_t slot) const;
    // The heading above a row; nullopt if there is none.
    std::optional<std::size_t> find_heading(std::size_t row) const;
    std::optional<std::size_t> find_heading_after(std::size_t row) const;

private:
    std::vector<LayoutRow> rows_;
    SeriesByRank series_;  // that rows_ point into
    RankOrderPtr order_;  // likewise
    std::shared_ptr<const std::vector<ClosedNode>> closed_;  // likewise
    std::vector<std::pair<std::size_t, std::size_t>> rank_rows_;  // by slot
    std::vector<std::size_t> headings_;  // rows of groups
    std::map<std::uint32_t, std::size_t> folded_;  // slot → row of its group
    float height_ = 0;
};

NodeKey key_of(const core::Run&, const LayoutRow&);
// Everything that must be open for a lane to be seen.
std::vector<NodeKey> collect_ancestors(const core::Run&, std::uint32_t slot, std::uint32_t lane);
std::string format_row_label(const core::Run&, const LayoutRow&);

}  // namespace ui
