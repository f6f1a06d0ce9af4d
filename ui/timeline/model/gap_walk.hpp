#pragma once
// Steps through the GPU gaps by length when the side is asked to: requests the analysis idle-gaps
// under the filter, then shows the gap and what the host did in it. Starts at the gap marked as the
// area, if there is one. Main thread only.

#include "ui/model/panel.hpp"

#include <cstdint>

namespace ui {

class GapWalk {
public:
    void update(Frame&, SideRequests&);
    bool busy() const { return steps_ != 0; }

private:
    int steps_ = 0;  // steps still to take, towards shorter gaps
    std::uint64_t of_run_ = 0;  // run of the request
};

}  // namespace ui
