#pragma once
// The critical path of one rank as the timeline needs it: its stretches in the order of time, and what each event has of
// it. Made of an answer of `critical-path`, O(stretches); no ImGui, any thread.

#include "core/analysis/engine/analysis.hpp"

#include <string>
#include <vector>

namespace ui {

// They cover the window without gaps: each begins where the one before it ends.
struct PathStretch {
    core::RankRange range{};  // on the rank's clock, never empty
    core::EventId event = core::kNoEvent;  // whose time it is
    std::uint32_t lane = 0;  // of the event; of a stretch without one, its neighbour's
    bool waits = false;  // a delay, or nothing that the trace has; else work
};

struct PathPart {  // of one event
    core::EventId event = core::kNoEvent;
    std::string bound_by;
    core::Duration time{};
};

struct CriticalPath {
    std::uint32_t slot = 0;  // of the run it was made for
    core::RankIndexPtr rank;  // null: there is no path
    core::Duration length{};
    std::vector<PathStretch> stretches;
    std::vector<PathPart> parts;  // by event, longest first

    static CriticalPath of(const core::Run&, std::size_t slot, const core::Answer&);
    std::span<const PathPart> parts_of(core::EventId) const;
};

}  // namespace ui
