#pragma once
// The pinned rows: a band between ruler and plot that does not scroll with the rows below it. Where it would take more
// than its share of the height it scrolls by itself. Both sides of a comparison have bands of one height, so that
// partners below them stay level. Main thread only.

#include "ui/timeline/model/timeline_rows.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include <nlohmann/json_fwd.hpp>

namespace ui {

class PinnedBand {
public:
    // Takes the band's place from the tops of tree and plot. partner: the other side's rows; null: none.
    void place(TimelineFrame&, const TimelineRows& own, const TimelineRows* partner);
    // After the timeline's input, which may have scrolled it.
    void keep_scroll(TimelineFrame&);
    // Names of ranks whose looks are needed.
    static void collect_slots(const TimelineFrame&, std::vector<std::uint32_t>& slots);
    TreeClicks draw_tree(TimelineFrame&) const;
    // query: of the rows below, with everything but the rows.
    // overlay: what is drawn above the bars, given a frame of the band.
    void draw_bars(const TimelineFrame&, SceneQuery query, std::uint64_t layout_version,
                   const std::function<void(const TimelineFrame&)>& overlay);
    // Scrolls so that the row is seen.
    void reveal(const LayoutRow& row) { shown_y_ = row.y; }
    static void describe(nlohmann::json& shown, const core::Run&, const LaneLayout&);

private:
    Scene scene_;
    float scroll_ = 0;
    std::optional<float> shown_y_;  // of a row, to be scrolled to
};

}  // namespace ui
