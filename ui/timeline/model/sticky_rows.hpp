#pragma once
// Headings that stay in view: while the rows below the heading of a group or below an open rank are scrolled under the
// top, the heading lies at the top, until the next one pushes it out. Pure; O(log rows).

#include "ui/timeline/model/lane_layout.hpp"

namespace ui {

struct StickyRow {
    std::size_t row = 0;
    float top = 0;  // px below the top of what is visible; below 0 while it is pushed out
};

// The group's first, then the rank's.
std::vector<StickyRow> collect_sticky(const LaneLayout&, float scroll_y);
// How much of the top they cover.
float sticky_height(const LaneLayout&, std::span<const StickyRow>);
// How far below the top a rank's row must lie so that its group's heading does not cover it.
float room_for_heading(const LaneLayout&, std::uint32_t slot);

}  // namespace ui
