#pragma once
// What one rank did in a window, as a graph: CPU threads, launches, streams, and who waited for whom. Longest paths in it
// are critical paths.

#include "core/analysis/analysis.hpp"
#include "core/analysis/event_graph.hpp"

#include <functional>
#include <optional>

namespace core {

struct PathWindow {
    RankRange range;
    RankTime host_end;  // of the chosen steps; of the window where none are chosen
    std::vector<EventId>
        steps{};  // the chosen ones' marks, rising; empty if there is no term on steps. With steps only
        // their own threads and the GPU events launched in them reach the window's end.
};

// The chosen steps with all GPU events launched in them, from the first begin to the last end, or without a term on
// steps all that the rank did; cut to the time range. Nothing where that is empty.
std::optional<PathWindow> find_path_window(const RankView&);

struct CriticalGraph {
    EventGraph graph;
    std::uint32_t sink = 0;  // the end of the window
    std::uint64_t reversed = 0;  // GPU events that began before their calls
};

// chosen: marks the edges of what is to be scaled; may be empty. Fails when cancelled.
Result<CriticalGraph> build_critical_graph(const RankView&, const PathWindow&,
                                           const std::function<bool(EventId)>& chosen, const JobContext&);

}  // namespace core
