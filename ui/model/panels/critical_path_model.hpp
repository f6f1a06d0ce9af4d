#pragma once
// The critical path of one rank as the timeline needs it: its stretches in the order of time, and what each event has
// of it. Made of an answer of `critical-path`, O(stretches); no ImGui, any thread.

#include "core/analysis/engine/analysis.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ui {

// Of one rank they cover the window without gaps: each begins where the one before it ends. Of a run's path a rank has
// those that are on it.
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

// The path leaves a rank for another: at a collective or a receive that waited for it.
struct PathCrossing {
    core::RunTime at{};
    std::uint32_t from = 0, to = 0;  // slots
    std::uint32_t from_lane = 0, to_lane = 0;  // where the path was, and goes on
    std::string what;  // "all_reduce of mesh_tp"
};

// The critical path across all ranks: of an answer with of=run.
struct RunCriticalPath {
    std::vector<CriticalPath> ranks;  // by slot; rank is null where the path never is; length is that of the whole path
    std::vector<PathCrossing> crossings;  // by time
    std::vector<std::pair<core::RunRange, std::uint32_t>> visits;  // by time: a stay on a slot
    core::Duration length{};
    std::size_t stretches = 0;

    static RunCriticalPath of(const core::Run&, const core::Answer&);
};

}  // namespace ui
