#pragma once
// Marks on the timeline: a flag on the ruler for each, lines at its ends across the rows, ticks on
// the overview. Click: show its range. Right click: edit its note or remove it. Main thread only.

#include "core/session/marks.hpp"

#include <imgui.h>

#include <string>

namespace ui {

struct TimelineFrame;

class MarkFlags {
public:
    void draw_lines(const TimelineFrame&) const;  // across the rows
    void draw(TimelineFrame&);                    // over ruler and overview; handles clicks

private:
    struct Flag {
        core::RunRange range;
        std::string label;
        std::string id;
        bool kept;
    };
    void draw_flag(TimelineFrame&, const Flag&, std::size_t index);
    void draw_menu(TimelineFrame&);

    std::size_t edited_ = 0;  // index among the kept marks
    std::string note_;
};

}  // namespace ui
