#pragma once
// Two timelines whose rows go together: partners are open together and lie at the same height, and what only one side
// has leaves a gap on the other. The baseline's choices are those of both; a row opened on the candidate's side opens
// its partner. Laid out again only when runs or choices change. Main thread only.

#include "ui/timeline/model/row_pairs.hpp"
#include "ui/timeline/timeline.hpp"

namespace ui {

class TimelinePair {
public:
    // Before either is drawn, with both runs there and aligned. height: of one timeline's area.
    void update(const core::Session&, const core::BySide<Timeline*>&, float height);
    // Each goes its own way again.
    void part(const core::BySide<Timeline*>&);
    // What rows of an area of that side are on the other; those without a partner there are left out. Asking again with
    // the same rows costs one comparison of them.
    const std::vector<core::TrackRows>& partners_of(const core::Session&, core::Side,
                                                    const std::vector<core::TrackRows>&);

private:
    core::BySide<core::RunPtr> pair_rows(const core::Session&);

    RowPairs pairs_;
    core::BySide<std::uint64_t> runs_;  // ids of those pairs_ is of
    core::BySide<std::uint64_t> placed_;  // versions of the rows as they were placed; 0: they are not
    core::Side area_side_ = core::Side::Baseline;
    std::vector<core::TrackRows> area_rows_;
    std::vector<core::TrackRows> area_partners_;
};

}  // namespace ui
