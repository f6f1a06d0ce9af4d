#pragma once
// Menu, the run's chip, the filter, undo and redo. Where the window is narrow the filter has a line of its own.

#include "ui/shell/filter_bar.hpp"

#include <string>
#include <string_view>

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
// The end of a name from the first part on in which it differs from another, after an ellipsis; the name itself where
// they begin differently, or one is the beginning of the other.
std::string differing_end(std::string_view name, std::string_view other);

}  // namespace ui
