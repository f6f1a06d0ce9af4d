#pragma once
// Which rows the timeline has, top to bottom, and how high each is: from a Run, what the user opened or
// closed, and row sizes. Per rank: utilisation by class; below it GPU streams with their overflow rows
// and what is known of the rank over time (rank_series), then annotations, CPU threads and counters, each in a group that can be closed; a closed group takes no row,
// the rank's own row offers it. Tracks that hold nothing are left out. Built again only when one of its inputs changes: O(rows); finding a row is O(log rows).

#include "ui/timeline/model/rank_series.hpp"
#include "ui/model/rank_order.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace ui {

// Counter: of the trace; Series: of an analysis; Group: a heading above ranks, which alone is left of a folded group, or
// the line below pinned ones.
enum class RowKind : std::uint8_t { Rank, Device, Marks, Cpu, Counters, Lane, Counter, Series, Group };
inline bool is_plot(RowKind kind) { return kind == RowKind::Counter || kind == RowKind::Series; }

// What can be opened and closed. Names a rank by its key, so it stays right while ranks arrive.
struct NodeKey {
    std::int64_t rank = 0;
    RowKind kind = RowKind::Rank;  // Lane stands for all rows of a track
    std::uint32_t item = 0;  // process or track
    auto operator<=>(const NodeKey&) const = default;
};

struct LayoutRow {
    RowKind kind = RowKind::Rank;
    std::uint8_t depth = 0;  // of indentation
    bool opens = false;  // has a triangle
    bool open = false;
    std::uint32_t slot = 0;  // of a group: its first rank's
    std::uint32_t item = 0;  // process, lane, first series of a counter or section of the order, by kind
    std::uint32_t track = 0;  // of a lane
    std::uint32_t count = 0;  // groups: members; first lane of a track: rows not shown; counters: series
    std::uint32_t closed_marks = 0;  // of an open rank: members of its closed groups
    std::uint32_t closed_cpu = 0;
    std::uint32_t closed_counters = 0;
    const SeriesLine* line = nullptr;  // of a series; as long as the layout or a copy of it lives
    const std::string* title = nullptr;  // of a group, likewise; empty: a line without words
    const std::vector<std::uint32_t>* slots = nullptr;  // of a group: its ranks, likewise
    float y = 0;  // from the top of the content
    float height = 0;
};

// A group's row that stands for all of its ranks.
inline bool is_folded(const LayoutRow& row) { return row.kind == RowKind::Group && row.opens && !row.open; }

struct RowSizes {
    float rank = 22;
    float group = 18;
    float stream = 18;
    float lane = 16;  // of CPU threads and marks
    float counter = 32;  // and series
    float rank_gap = 6;  // below each open rank
    float separator = 7;  // a group without a title
    static RowSizes comfortable(float scale);
    static RowSizes compact(float scale);
    bool operator==(const RowSizes&) const = default;
};

// How much is open at first.
enum class Opening : std::uint8_t {
    Everything,  // few ranks: streams and threads
    Streams,  // every rank open to its GPU streams
    FirstStreams,  // the first rank open to its GPU streams, the others closed
    Closed,
};
// To be chosen once per set of ranks, so that a resized window changes nothing: every rank's streams if they
// (nearly) fit into `height`, in compact rows if need be.
struct Arrangement {
    Opening opening = Opening::Everything;
    bool compact = false;
    float rank = 0;  // height of a rank's row at scale 1, lower where there are many; 0: as the sizes say
    bool operator==(const Arrangement&) const = default;
    RowSizes sizes(float scale) const;
};
Arrangement choose_arrangement(const core::Run&, float scale, float height);

using RowChoices = std::map<NodeKey, bool>;  // what the user opened or closed
// Whether a rank, group or device is open: as chosen, else as they are at first.
bool is_open(const RowChoices&, Opening, const NodeKey&, std::uint32_t slot);

class LaneLayout {
public:
    LaneLayout() = default;
    // Without an order every rank is shown, by number.
    LaneLayout(const core::Run&, const RowChoices&, Opening, const RowSizes&, SeriesByRank = {}, RankOrderPtr = {});
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
    std::vector<std::pair<std::size_t, std::size_t>> rank_rows_;  // by slot
    std::vector<std::size_t> headings_;  // rows of groups
    std::map<std::uint32_t, std::size_t> folded_;  // slot → row of its group
    float height_ = 0;
};

NodeKey key_of(const core::Run&, const LayoutRow&);
// Everything that must be open for a lane to be seen.
std::vector<NodeKey> collect_ancestors(const core::Run&, std::uint32_t slot, std::uint32_t lane);
std::string format_row_label(const core::Run&, const LayoutRow&);
// The lines of a plot; valid as long as run and layout. Empty for other rows.
std::vector<CounterView> collect_lines(const core::Run&, const LayoutRow&);

}  // namespace ui
