#pragma once
// Headings that stay in view: while the rows of a group or an open rank are scrolled beyond the
// top, their heading is at the top, until the next one pushes it out. Pure; O(log rows).

#include "ui/timeline/model/lane_layout.hpp"

namespace ui {

struct StickyRow {
    std::size_t row = 0;
    float top = 0;  // px below the top of the visible part; negative while it is pushed out
};

// The group's heading first, then the rank's.
std::vector<StickyRow> collect_sticky(const LaneLayout&, float scroll_y);
// Height that they cover.
float sticky_height(const LaneLayout&, std::span<const StickyRow>);
// Distance below the top that keeps a rank's row clear of its group's heading.
float room_for_heading(const LaneLayout&, std::uint32_t slot);

}  // namespace ui
