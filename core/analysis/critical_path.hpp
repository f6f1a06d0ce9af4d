#pragma once
// The critical path of one rank as it was recorded, stretch by stretch, for those who draw it. What it means says the
// analysis `critical-path`, whose table `path` holds the same.

#include "core/analysis/engine/analysis.hpp"

namespace core {

struct PathStretch {
    EventId event;              // whose time it is; kNoEvent where the trace has none
    std::string_view bound_by;  // "cpu", "launch_delay", ...; never freed
    RankRange range;            // never empty; begins where the one before ends
};

// Of the view's rank, whichever rank that is; empty if it did nothing in the window. Fails when cancelled.
Result<std::vector<PathStretch>> collect_critical_path(const RankView&, const JobContext&);

}  // namespace core
