#pragma once
// Links the rows of two timelines: partners open together and have the same height and position; a
// row without a partner leaves a gap on the other side. The baseline's choices apply to both;
// opening a row of the candidate opens its partner. Laid out again only when runs or choices
// change. Main thread only.

#include "ui/timeline/model/row_pairs.hpp"
#include "ui/timeline/parts/timeline.hpp"

namespace ui {

class TimelinePair {
public:
    // Call before either is drawn, with both runs aligned. height: of one timeline.
    void update(const core::Session&, const core::BySide<Timeline*>&, float height);
    // Unlinks the rows.
    void part(const core::BySide<Timeline*>&);
    // Maps area rows of one side to the other, without those that have no partner. Repeating a call with the same rows
    // costs one comparison.
    const std::vector<core::TrackRows>& partners_of(const core::Session&, core::Side,
                                                    const std::vector<core::TrackRows>&);

private:
    core::BySide<core::RunPtr> pair_rows(const core::Session&);

    RowPairs pairs_;
    core::BySide<std::uint64_t> runs_;  // run ids of pairs_
    core::BySide<std::uint64_t> placed_;  // row versions when placed; 0: not placed
    core::Side area_side_ = core::Side::Baseline;
    std::vector<core::TrackRows> area_rows_;
    std::vector<core::TrackRows> area_partners_;
};

}  // namespace ui
