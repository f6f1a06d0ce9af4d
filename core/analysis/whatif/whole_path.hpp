#pragma once
// The critical path of a run of any length: of one graph, or of graphs of some steps each that follow one another, so
// that memory is bounded. Definitions: docs/definitions.md, critical-path.

#include "core/analysis/whatif/change.hpp"
#include "core/analysis/whatif/run_path.hpp"

#include <array>

namespace core {

using BoundTimes = std::array<std::int64_t, kBoundBy>;             // ns
using LinkCounts = std::array<std::array<std::int64_t, 2>, kEdgeKinds>;  // recorded, guessed

struct WholePath {
    RunRange range{};  // of the window, on the run's clock
    RunPath path;      // spans it; without edges
    LinkCounts links{}, on_path{};
    BoundTimes replayed{};  // on the longest path with the scales applied
    std::int64_t replayed_length = 0;
    std::uint64_t not_joined = 0;
    MovedNodes moved;
    std::size_t graphs = 0;
};

BoundTimes add_up_by_bound(const RunPath&);

// Runs with more events are cut at steps, into graphs of at most the second many where a step allows it.
struct PathLimits {
    std::size_t one_graph = 3'000'000;
    std::size_t at_once = 500'000;
};
// parts: not empty, by slot. Graphs in parallel. Fails if cancelled.
Result<WholePath> find_whole_path(const Run&, const Waits&, std::span<const PartWindow> parts, const ChosenEvents&,
                                  const Scales&, const PathLimits&, const JobContext&);

}  // namespace core
