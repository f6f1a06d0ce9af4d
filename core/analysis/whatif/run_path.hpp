#pragma once
// The longest path through the graph of a run: whose time each stretch of the window is, and where the path goes from
// one rank to another. It spans the window to the nanosecond.

#include "core/analysis/whatif/run_graph.hpp"

namespace core {

struct RunStretch {
    std::uint32_t slot = 0;
    EventId event = kNoEvent;  // owner of the time; kNoEvent if the trace has none
    BoundBy bound_by = BoundBy::Unknown;
    std::int64_t begin = 0;    // from the begin of the graph's window; never empty, contiguous with the one before
    std::int64_t length = 0;
};

// The path leaves a rank for another: the one that a collective, or a receive, waited for last.
struct RunCrossing {
    std::uint32_t collective = 0;
    std::uint32_t from = 0;  // slot of the last to arrive
    std::uint32_t to = 0;    // slot that waited for it
    std::int64_t at = 0;
};

struct RunPath {
    std::vector<RunStretch> stretches;
    std::vector<RunCrossing> crossings;
    std::int64_t length = 0;
    std::vector<std::uint32_t> edges{};  // of the graph, with those that take no time
};

Result<RunPath> find_run_path(const RunGraph&, std::span<const std::int64_t> weights, const JobContext&);
// Drops what lies at or behind `end`.
void cut_path(RunPath&, std::int64_t end);
// Drops what lies before `begin`.
void cut_path_front(RunPath&, std::int64_t begin);

}  // namespace core
