#pragma once
// Menu, the run's chip, the filter, undo and redo. Where the window is narrow the filter has a line of its own.

#include "ui/shell/filter_bar.hpp"

#include <string>

namespace ui {

class TopBar {
public:
    float height(float width) const;  // of the bar in a window of that width
    void draw(Frame&, bool focus_filter, ImVec2 size);
    const FilterBar& filter() const { return filter_; }

private:
    bool two_lines(float width) const;
    FilterBar filter_;
};

// "Opening…" while there is no run yet, "No run" after a load that failed.
std::string name_on_chip(const core::Session&, core::Side);

}  // namespace ui
