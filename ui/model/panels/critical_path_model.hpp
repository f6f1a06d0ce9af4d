#pragma once
// The critical path of one rank for the timeline: its stretches sorted by time, and each event's
// part of it. Computed from an answer of `critical-path`, O(stretches); no ImGui, any thread.

#include "core/analysis/engine/analysis.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ui {

// Stretches of one rank cover the window without gaps: each begins where the previous one ends. In a path across ranks,
// a rank only has the stretches that are on it.
struct PathStretch {
    core::RankRange range{};  // on the rank's clock, never empty
    core::EventId event = core::kNoEvent;  // the event that takes the time
    std::uint32_t lane = 0;  // lane of the event; for a stretch without one, its neighbour's
    bool waits = false;  // a delay or unrecorded time; else work
};

struct PathPart {  // share of one event
    core::EventId event = core::kNoEvent;
    std::string bound_by;
    core::Duration time{};
};

struct CriticalPath {
    std::uint32_t slot = 0;  // slot in the run it was computed for
    core::RankIndexPtr rank;  // null: no path
    core::Duration length{};
    std::vector<PathStretch> stretches;
    std::vector<PathPart> parts;  // by event, longest first

    static CriticalPath of(const core::Run&, std::size_t slot, const core::Answer&);
    std::span<const PathPart> parts_of(core::EventId) const;
};

// The path moves from one rank to another, at a collective or a receive that waited for it.
struct PathCrossing {
    core::RunTime at{};
    std::uint32_t from = 0, to = 0;  // slots
    std::uint32_t from_lane = 0, to_lane = 0;  // lanes before and after the move
    std::string what;  // "all_reduce of mesh_tp"
};

// The critical path across all ranks, from an answer with of=run.
struct RunCriticalPath {
    std::vector<CriticalPath> ranks;  // by slot; rank is null for ranks off the path; length is the whole path's
    std::vector<PathCrossing> crossings;  // by time
    std::vector<std::pair<core::RunRange, std::uint32_t>> visits;  // by time: the path stays on a slot
    core::Duration length{};
    std::size_t stretches = 0;

    static RunCriticalPath of(const core::Run&, const core::Answer&);
};

}  // namespace ui
