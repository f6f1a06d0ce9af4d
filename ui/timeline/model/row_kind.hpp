#pragma once
// The rows of the timeline and their kinds. A row is data (LayoutRow). Its kind decides which rows
// a rank has, their labels, how they are drawn and what is under the pointer: one file in
// ui/timeline/rows and one row in row_kinds.cpp there. Kinds have no state. No ImGui here: drawing
// types are only named.

#include "core/base/catalogue.hpp"
#include "core/query/find_events.hpp"
#include "core/query/track_rows.hpp"
#include "ui/model/time_view.hpp"
#include "ui/timeline/model/rank_series.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

class RankRows;
class RowKind;
class TreeRow;
struct RowCollect;
struct TimelineFrame;

// A row that can be opened and closed. Names a rank by its key, which stays valid while ranks arrive.
struct NodeKey {
    std::int64_t rank = 0;
    const RowKind* kind = nullptr;  // the lanes' kind stands for all rows of a track
    std::uint32_t item = 0;         // RowKind::node_item
    bool operator==(const NodeKey&) const = default;
    std::strong_ordering operator<=>(const NodeKey& other) const {
        if (const auto order = rank <=> other.rank; std::is_neq(order)) return order;
        if (const auto order = std::compare_three_way{}(kind, other.kind); std::is_neq(order)) return order;
        return item <=> other.item;
    }
};

// A node of an open rank that has no row while it is closed: the rank's row offers to open it.
struct ClosedNode {
    const RowKind* kind = nullptr;
    std::uint32_t members = 0;
};

struct LayoutRow {
    const RowKind* kind = nullptr;
    std::uint8_t depth = 0;      // indentation; 0: a rank or the heading of a group
    bool opens = false;          // has a triangle
    bool open = false;
    bool pinned = false;         // in the band above all ranks, so it names its rank
    std::uint32_t slot = 0;      // for a group: its first rank's
    std::uint32_t item = 0;  // process, lane, first series of a counter or section of the order, depending on the kind
    std::uint32_t track = 0;  // for lanes
    std::uint32_t skipped = 0;  // first row of a track: number of hidden rows above it
    std::uint32_t count = 0;  // nodes and groups: members; first lane of a track: hidden rows; counters: series
    std::span<const ClosedNode> closed{};  // of an open rank; valid while its layout or a copy of it lives
    const SeriesLine* line = nullptr;  // of a series; same lifetime
    const std::string* title = nullptr;  // of a group's heading; same lifetime; empty: a line without text
    const std::vector<std::uint32_t>* slots = nullptr;  // ranks of a group; same lifetime
    float y = 0;  // from the top of the content
    float height = 0;
};

// True for the heading of a group of ranks, and for the line below pinned ones.
inline bool is_heading(const LayoutRow& row) { return row.title != nullptr; }
// True for a heading that stands for all ranks of its group.
inline bool is_folded(const LayoutRow& row) { return is_heading(row) && row.opens && !row.open; }
inline bool is_rank(const LayoutRow& row) { return row.depth == 0 && !is_heading(row); }

// Rows that are open initially.
enum class Opening : std::uint8_t {
    Unfolded,  // room for everything: streams and threads with all their rows
    Everything,  // few ranks: streams and threads
    Streams,  // every rank open to its GPU streams
    FirstStreams,  // the first rank open to its GPU streams, the others closed
    FirstThreads,  // the first rank open to its threads, the others closed
    Closed,
};

// Vertical extent of the bars of a row, below its top.
struct RowInset {
    float top, bottom;
};

// A button on the rank's row that opens a closed node of a kind.
struct RowChip {
    int place = 0;  // left to right
    std::string_view name{};
    std::string_view tooltip{};
};

// Identity of a row among those of one rank and kind, to pair rows of two runs.
struct RowIdentity {
    std::uint32_t item = 0;  // below 2^31
    std::uint32_t part = 0;  // part of the item
    bool by_name = false;  // item and part are equal on both sides; else RowKind::find_partner translates the item
    static RowIdentity of_name(std::string_view);
};

// For one side of two compared ranks: the other side's number by the own one; kNone if it has none.
struct RowPartners {
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    static std::uint32_t look_up(std::span<const std::uint32_t> partners, std::uint32_t item) {
        return item < partners.size() ? partners[item] : kNone;
    }
    std::span<const std::uint32_t> tracks;
    std::span<const std::uint32_t> processes;
    std::span<const std::uint32_t> counters;
};

class RowKind {
public:
    virtual ~RowKind() = default;
    virtual std::string_view id() const = 0;  // stable: scripts use it

    // Rows of a rank.
    virtual void add_rows(RankRows&) const {}  // below the row of an open rank
    virtual void add_pinned(RankRows&, std::span<const std::uint32_t> /*tracks*/) const {}  // in the pinned band
    virtual void add_pinned_counters(RankRows&, const std::vector<bool>& /*by series*/) const {}  // in the pinned band
    // Name that pins the row if it isn't a track: one of name_counters().
    virtual std::string pin_name(const core::Run&, const LayoutRow&) const { return {}; }
    virtual bool opens_at_first(Opening, std::uint32_t /*slot*/) const { return false; }
    virtual std::uint32_t node_item(const LayoutRow&) const { return 0; }
    virtual bool is_one_per_rank() const { return false; }  // a rank has at most one such node
    // The node of this kind that must be open to show a lane.
    virtual std::optional<std::uint32_t> find_holder(const core::RankTrace&, std::uint32_t /*lane*/) const {
        return std::nullopt;
    }
    virtual RowChip chip() const { return {}; }

    // Contents of the row.
    virtual std::string format_label(const core::Run&, const LayoutRow&) const = 0;
    virtual std::optional<std::uint32_t> lane_of(const LayoutRow&) const { return std::nullopt; }
    virtual bool is_plot() const { return false; }  // values over time
    virtual std::vector<CounterView> collect_lines(const core::Run&, const LayoutRow&) const {
        return {};
    }  // for plots
    virtual std::size_t count_events(const core::FoundEvents&, const core::Run&, const LayoutRow&) const { return 0; }
    // Adds the rows of tracks that this row contributes to an area dragged over `crossed`.
    virtual void add_area_rows(const core::Run&, const LayoutRow&, std::span<const LayoutRow> /*crossed*/,
                               std::vector<core::TrackRows>&) const {}

    // Pairing with the other run.
    virtual RowIdentity identity(const core::Run&, const LayoutRow& row) const {
        return {.item = row.item, .part = 0, .by_name = false};
    }
    virtual std::uint32_t find_partner(const RowPartners&, std::uint32_t /*item*/) const { return 0; }

    // Drawing.
    virtual RowInset inset(const LayoutRow& row) const = 0;
    virtual bool colors_events() const { return false; }  // needs RowCollect::colors
    virtual bool stacks_classes(const LayoutRow&) const {
        return false;
    }  // columns hold shares of classes, not colours
    virtual void collect(const RowCollect&) const {}  // any thread
    virtual void draw_behind(const TimelineFrame&, const LayoutRow&) const {}  // draws in the plot, below the bars
    virtual void draw_in_tree(TreeRow&) const = 0;
    // Contents under the pointer, `px` from the plot's left edge.
    virtual core::EventRef find_event(const core::Run&, const LayoutRow&, const TimeView&, double /*px*/) const {
        return {};
    }
    virtual void draw_tooltip(const TimelineFrame&, const LayoutRow&) const {}  // shown if there is no event
};

const core::Catalogue<const RowKind*>& row_kinds();  // in the order of their rows below a rank
const RowKind* find_row_kind(std::string_view id);
const RowKind& rank_kind();
const RowKind& group_kind();

inline RowInset bar_inset(const LayoutRow& row) { return row.kind->inset(row); }

}  // namespace ui
