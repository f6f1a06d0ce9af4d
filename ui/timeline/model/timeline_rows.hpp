#pragma once
// The current rows of one timeline: run, open nodes and positions. Laid out again only when one of
// these has changed. No ImGui.

#include "ui/timeline/model/lane_layout.hpp"

#include <utility>
#include <vector>

namespace ui {

class TimelineRows {
public:
    using Opened = std::vector<std::pair<NodeKey, bool>>;  // key, now open

    // height: of the plot; determines once per set of ranks what is open initially.
    void update(const core::Run&, float scale, float height);
    void open(const NodeKey&, bool open);
    // Shows series of ranks over time, as rows below their streams.
    void show_series(SeriesByRank series) { series_ = std::move(series), changed_ = true; }
    void sort_ranks(RankSorting sorting) {
        if (sorting != sorting_) sorting_ = std::move(sorting), changed_ = true;
    }
    // Sets the names of this side's ranks in choices; call before update(), so that no frame uses older ones.
    void name_ranks(const core::Session&, core::Side);
    // Uses this order while it belongs to the run; null: its own order again.
    void override_order(RankOrderPtr order);
    void open_all(bool open);  // opens every rank with all its rows, or closes every rank
    // Replaces the arrangement, for rows that follow another timeline's.
    void apply(const Arrangement&, RowChoices);
    void place(std::span<const float> tops, float height) { layout_.place(tops, height), ++version_; }
    void forget_run() { layout_ = {}, pinned_ = {}, series_ = {}, run_id_ = 0; }  // keeps what is open
    void lay_out_again() { changed_ = true; }

    const LaneLayout& layout() const { return layout_; }
    const LaneLayout& pinned() const { return pinned_; }  // rows above the others that don't scroll
    std::size_t hidden_rows() const { return hidden_rows_; }  // streams and threads hidden by the user
    const Arrangement& arrangement() const { return arrangement_; }
    const RowChoices& choices() const { return choices_; }
    const RankSorting& sorting() const { return sorting_; }
    const RankOrder& order() const { return *order_; }
    std::uint64_t version() const { return version_; }  // changes whenever rows may have moved
    bool pending() const { return changed_; }  // the next update() lays out again
    // Nodes opened or closed by open() since the last call.
    Opened consume_opened() { return std::exchange(opened_, {}); }

private:
    LaneLayout layout_;
    LaneLayout pinned_;
    std::size_t hidden_rows_ = 0;
    Arrangement arrangement_;
    RowChoices choices_;
    SeriesByRank series_;
    RankSorting sorting_;
    RankOrderPtr order_ = std::make_shared<const RankOrder>();  // order of layout_
    RankOrderPtr followed_;
    core::BySide<std::uint64_t> named_of_;  // ids of the runs that sorting_'s names belong to; 0: not compared
    Opened opened_;
    std::uint64_t version_ = 0;
    std::uint64_t run_id_ = 0;
    std::string run_name_;
    std::size_t rank_count_ = 0;
    float scale_ = 0;
    bool changed_ = false;
};

}  // namespace ui
