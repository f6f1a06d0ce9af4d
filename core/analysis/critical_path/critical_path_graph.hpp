#pragma once
// The dependency graph of one rank in a window: CPU threads, launches, streams and waits. Its
// longest paths are critical paths.

#include "core/analysis/critical_path/critical_path_streams.hpp"
#include "core/analysis/critical_path/critical_path_threads.hpp"
#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/event_graph.hpp"

#include <functional>
#include <optional>

namespace core {

struct PathWindow {
    RankRange range;
    RankTime shown_end;  // end of the time range, if earlier: events after it still decide what was critical
    RankTime host_end;  // end of the chosen steps, or of the window without a choice
    // Marks of the chosen steps, sorted; empty without a step term. If there are any, only their
    // threads and the GPU events launched in them reach the end of the window.
    std::vector<EventId> steps{};
};

// From the first begin to the last end of the chosen steps and their GPU events, or of the whole
// rank without a step term, starting with the time range. nullopt if the time range excludes all of
// it. AllSteps: without a step term every step of the trace is chosen, if it has any.
enum class WithoutStepTerm : std::uint8_t { WholeRank, AllSteps };
std::optional<PathWindow> find_path_window(const RankView&, WithoutStepTerm = WithoutStepTerm::WholeRank);

// From the first begin to the last end of these steps and their GPU events. steps: not empty. O(GPU events).
PathWindow find_step_window(const RankTrace&, std::span<const Step> steps);

struct CriticalGraph {
    EventGraph graph;
    std::uint32_t sink = 0;  // end of the window, or of its shown part
    std::uint64_t reversed = 0;  // GPU events that began before their launch calls
};

// The same before it is settled, with what its nodes are: for graphs of several ranks.
struct RankDraft {
    GraphDraft draft;  // its node 0 is the begin of the window
    std::uint32_t sink = 0;
    std::uint64_t reversed = 0;
    EventNodes nodes;  // of events on threads
    std::vector<ThreadChain> chains;
    std::vector<StreamQueue> queues;
};

// Moves the sink to a time on a path to it.
void cut_at(CriticalGraph&, const LongestPath& to_sink, std::int64_t moment);

// chosen: marks events whose edges are scaled; may be empty. Fails if cancelled.
Result<CriticalGraph> build_critical_graph(const RankView&, const PathWindow&,
                                           const std::function<bool(EventId)>& chosen, const JobContext&);
// Launches whose GPU work began before the call: bridged, it waits for the last that its thread reached before.
enum class ReversedLaunches : std::uint8_t { Dropped, Bridged };
Result<RankDraft> build_rank_draft(const RankView&, const PathWindow&, const std::function<bool(EventId)>& chosen,
                                   ReversedLaunches, const JobContext&);

}  // namespace core
