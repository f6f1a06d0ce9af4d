#pragma once
// Goes to the next longest or next shorter gap of the GPUs when the side is asked to: takes the analysis idle-gaps
// under the filter, then shows the gap. The gap marked as the area is where it goes on from. Main thread only.

#include "ui/model/panel.hpp"

#include <cstdint>

namespace ui {

class GapWalk {
public:
    void update(Frame&, SideRequests&);
    bool busy() const { return steps_ != 0; }

private:
    int steps_ = 0;  // towards shorter gaps; still to be gone
    std::uint64_t of_run_ = 0;  // that it was asked in
};

}  // namespace ui
