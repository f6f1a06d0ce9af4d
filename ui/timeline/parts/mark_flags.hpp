#pragma once
// Marks on the timeline: a flag on the ruler for each, its borders across the rows, ticks on the overview strip. A
// click on a flag shows its range, a right click edits its note or removes it. Main thread only.

#include "core/session/marks.hpp"

#include <imgui.h>

#include <string>

namespace ui {

struct TimelineFrame;

class MarkFlags {
public:
    void draw_lines(const TimelineFrame&) const;  // across the rows
    void draw(TimelineFrame&);                    // over the ruler and the overview strip; takes clicks

private:
    struct Flag {
        core::RunRange range;
        std::string label;
        std::string id;
        bool kept;
    };
    void draw_flag(TimelineFrame&, const Flag&, std::size_t index);
    void draw_menu(TimelineFrame&);

    std::size_t edited_ = 0;  // of the kept ones
    std::string note_;
};

}  // namespace ui
