#pragma once
// The pinned rows: a band between ruler and plot that does not scroll with the rows below it.
// Scrolls by itself beyond its share of the height. Both sides of a comparison have bands of equal
// height, so that partners below them stay aligned. Main thread only.

#include "ui/timeline/model/timeline_rows.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include <nlohmann/json_fwd.hpp>

namespace ui {

class PinnedBand {
public:
    // Reserves the band's space at the tops of tree and plot. partner: the other side's rows; null: none.
    void place(TimelineFrame&, const TimelineRows& own, const TimelineRows* partner);
    // Call after the timeline's input, which may have scrolled it.
    void update_scroll(TimelineFrame&);
    // Adds the ranks whose RankLook the band needs.
    static void collect_slots(const TimelineFrame&, std::vector<std::uint32_t>& slots);
    TreeClicks draw_tree(TimelineFrame&) const;
    // query: the query of the rows below, without their row range. overlay: draws above the bars, given a frame of the
    // band.
    void draw_bars(const TimelineFrame&, SceneQuery query, std::uint64_t layout_version,
                   const std::function<void(const TimelineFrame&)>& overlay);
    // Scrolls the row into view.
    void reveal(const LayoutRow& row) { shown_y_ = row.y; }
    static void describe(nlohmann::json& shown, const core::Run&, const LaneLayout&);

private:
    Scene scene_;
    float scroll_ = 0;
    std::optional<float> shown_y_;  // top of the row to scroll to
};

}  // namespace ui
