#pragma once
// Where the axis does without the time between captures: a break in the ruler that says how much, and a line through the
// rows. A click on the break shows that time again.

namespace ui {

struct TimelineFrame;

void draw_cut_lines(const TimelineFrame&);  // in the plot
void draw_cut_marks(TimelineFrame&);  // on the ruler

}  // namespace ui
