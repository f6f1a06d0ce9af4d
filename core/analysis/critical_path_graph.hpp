#pragma once
// What one rank did in a window, as a graph: CPU threads, launches, streams, and who waited for whom. Longest paths in it
// are critical paths.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/event_graph.hpp"

#include <functional>
#include <optional>

namespace core {

struct PathWindow {
    RankRange range;
    RankTime shown_end;  // of the time range, if that is earlier: what matters until then is known by looking on
    RankTime host_end;  // of the chosen steps; of the window where none are chosen
    // The chosen steps' marks, rising; empty without a term on steps. Where there are any, only their own threads and
    // the GPU events launched in them reach the end of the window.
    std::vector<EventId> steps{};
};

// The chosen steps with all GPU events launched in them, from the first begin to the last end, or without a term on
// steps all that the rank did; from the begin of the time range on. Nothing where the time range leaves nothing of it.
std::optional<PathWindow> find_path_window(const RankView&);

struct CriticalGraph {
    EventGraph graph;
    std::uint32_t sink = 0;  // the end of the window, or of what is shown of it
    std::uint64_t reversed = 0;  // GPU events that began before their calls
};

// Moves the sink to a moment on a path to it.
void cut_at(CriticalGraph&, const LongestPath& to_sink, std::int64_t moment);

// chosen: marks the edges of what is to be scaled; may be empty. Fails when cancelled.
Result<CriticalGraph> build_critical_graph(const RankView&, const PathWindow&,
                                           const std::function<bool(EventId)>& chosen, const JobContext&);

}  // namespace core
