#pragma once
// The rows of a layout while it is built: kinds of rows add those of one rank after the other.
// Pure; O(rows).

#include "ui/model/rank_order.hpp"
#include "ui/timeline/model/row_kind.hpp"

#include <map>
#include <span>
#include <vector>

namespace ui {

struct RowSizes {
    float rank = 22;
    float group = 18;
    float stream = 18;
    float lane = 16;      // CPU threads and annotations
    float counter = 32;   // counters and series
    float rank_gap = 6;   // below each open rank
    float separator = 7;  // a group without a title
    static RowSizes comfortable(float scale);
    static RowSizes compact(float scale);
    RowSizes grown(float times) const;  // rows of bars, rounded to whole pixels
    bool operator==(const RowSizes&) const = default;
};

using RowChoices = std::map<NodeKey, bool>;  // opened or closed by the user
// True if a node is open: the user's choice, else the initial state.
bool is_open(const RowChoices&, Opening, const NodeKey&, std::uint32_t slot);

bool is_gpu_track(const core::RankTrace&, const core::Track&);

// Tracks of one rank with events, in their groups.
struct TrackGroups {
    std::vector<std::uint32_t> devices;      // processes with streams
    std::vector<std::uint32_t> streams;
    std::vector<std::uint32_t> annotations;  // annotations and synchronisation of streams
    std::vector<std::uint32_t> cpu;          // the profiler's own tracks come last
};
TrackGroups group_tracks(const core::RankTrace&);
// Tracks that the profiler writes about itself: "PyTorch Profiler (0)", "Trace …".
bool is_bookkeeping(const core::RankTrace&, const core::Track&);

class RankRows {
public:
    // The arguments must outlive it.
    RankRows(const core::Run&, const RowChoices&, Opening, const RowSizes&, const SeriesByRank&,
             const TrackChoice& hidden);

    void add_heading(const RankOrder::Section&, std::size_t index);
    void add_rank(std::uint32_t slot);
    void add_pinned(std::uint32_t slot, const std::vector<bool>& pinned);  // by track
    void add_pinned_counters(std::uint32_t slot, const std::vector<bool>& pinned);  // by series
    struct Rows {
        std::vector<LayoutRow> rows;
        std::vector<ClosedNode> closed;  // referenced by rows
        float height = 0;
    };
    Rows finish() &&;
    std::size_t size() const { return made_.rows.size(); }

    // The rank whose rows are being added, for kinds.
    const core::RankSlot& rank() const { return run_.rank(slot_); }
    const core::RankTrace& trace() const { return rank().trace(); }
    const TrackGroups& groups() const { return groups_; }
    const RowSizes& sizes() const { return sizes_; }
    std::span<const SeriesLine> series() const;
    bool is_open(const RowKind&, std::uint32_t item = 0) const;
    bool is_opened(const RowKind&, std::uint32_t item) const;  // by the user
    LayoutRow& add(const RowKind&, std::uint8_t depth, std::uint32_t item, float height);
    // Adds the row of a node. Returns whether it is open.
    bool add_node(const RowKind&, std::uint8_t depth, std::uint32_t item, std::size_t members, float height);
    // Adds a node directly below the rank that has no row while it is closed. Omits a node without members.
    bool add_closable(const RowKind&, std::size_t members);

private:
    const core::Run& run_;
    const RowChoices& choices_;
    Opening opening_;
    const RowSizes& sizes_;
    const SeriesByRank& series_;
    const TrackChoice& hidden_;
    Rows made_;
    std::vector<std::pair<std::size_t, std::size_t>> closed_of_;  // row of a rank, its first closed node
    TrackGroups groups_;
    std::uint32_t slot_ = 0;
};

}  // namespace ui
