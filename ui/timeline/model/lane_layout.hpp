#pragma once
// Rows of the timeline, top to bottom, with their heights: computed from a Run, the nodes that the
// user opened or closed, and row sizes. A rank has its own row and below it the rows of each kind
// (row_kind.hpp). Tracks without events are omitted. Rebuilt only when an input changes: O(rows);
// finding a row is O(log rows).

#include "ui/timeline/model/rank_rows.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

// Choose it once per set of ranks, so that resizing the window changes nothing: opens every rank's streams if they
// (nearly) fit into `height`, with compact rows if necessary.
struct Arrangement {
    Opening opening = Opening::Everything;
    bool compact = false;
    float grow = 1;  // factor for rows of bars if there is room for more
    float rank = 0;  // height of a rank's row at scale 1, smaller for many ranks; 0: from the sizes
    bool operator==(const Arrangement&) const = default;
    RowSizes sizes(float scale) const;
};
Arrangement choose_arrangement(const core::Run&, float scale, float height);

class LaneLayout {
public:
    LaneLayout() = default;
    // Without an order, shows every rank by number. Pinned ranks are omitted: they are in the band of pinned rows.
    LaneLayout(const core::Run&, const RowChoices&, Opening, const RowSizes&, SeriesByRank = {}, RankOrderPtr = {},
               const TrackChoice& hidden = {});
    // The pinned ranks with their rows, then the pinned tracks and counters, by rank in this order.
    static LaneLayout of_pinned(const core::Run&, const RowChoices&, Opening, const RowSizes&, SeriesByRank,
                                const RankOrderPtr&, const TrackChoice& pinned, const TrackChoice& hidden);
    // Moves the rows to other tops, which ascend without overlap; gaps between them are allowed.
    void place(std::span<const float> tops, float height);

    const std::vector<LayoutRow>& rows() const { return rows_; }
    float height() const { return height_; }
    // Rows that overlap [top, bottom): first and one past the last.
    std::pair<std::size_t, std::size_t> find_visible(float top, float bottom) const;
    std::optional<std::size_t> find_row_at(float y) const;
    // The row that shows a lane: its own, or the closed track, group, rank or folded group that contains it. None for a
    // hidden rank.
    std::optional<std::size_t> find_lane_row(const core::Run&, std::uint32_t slot, std::uint32_t lane) const;
    // The rows of a rank, first and one past the last: they are contiguous. Empty if it is hidden or in a folded group.
    std::pair<std::size_t, std::size_t> find_rank_rows(std::uint32_t slot) const;
    // The row of the folded group that contains the rank.
    std::optional<std::size_t> find_folded(std::uint32_t slot) const;
    // The heading above a row; nullopt if there is none.
    std::optional<std::size_t> find_heading(std::size_t row) const;
    std::optional<std::size_t> find_heading_after(std::size_t row) const;

private:
    std::vector<LayoutRow> rows_;
    SeriesByRank series_;  // referenced by rows_, like the next two
    RankOrderPtr order_;  // likewise
    std::shared_ptr<const std::vector<ClosedNode>> closed_;  // likewise
    std::vector<std::pair<std::size_t, std::size_t>> rank_rows_;  // by slot
    std::vector<std::size_t> headings_;  // rows of groups
    std::map<std::uint32_t, std::size_t> folded_;  // slot → row of its group
    float height_ = 0;
};

NodeKey key_of(const core::Run&, const LayoutRow&);
// Everything that must be open to show a lane.
std::vector<NodeKey> collect_ancestors(const core::Run&, std::uint32_t slot, std::uint32_t lane);
std::string format_row_label(const core::Run&, const LayoutRow&);

}  // namespace ui
