#include "core/analysis/whatif/whole_path.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/whatif/run_window.hpp"

#include <algorithm>

namespace core {
namespace {

// End of what is shown, from the begin of the graph's window.
std::int64_t find_shown_end(const Run& run, const RunGraph& graph) {
    std::int64_t shown = 0;
    for (const GraphPart& part : graph.parts) {
        const RunTime end = run.rank(part.slot).to_run(part.window.shown_end);
        shown = std::max(shown, (end - graph.range.begin).count());
    }
    return std::min(shown, graph.length());
}

void count_link(LinkCounts& counts, const GraphEdge& edge) {
    ++counts[static_cast<std::size_t>(edge.kind)][edge.guessed ? 1 : 0];
}

// Path and counts of one graph.
Result<WholePath> find_part(const Run& run, const Waits& waits, std::span<const PartWindow> parts,
                            const ChosenEvents& chosen, const Scales& scales, const JobContext& context) {
    const Result<RunGraph> graph = build_run_graph(run, waits, parts, chosen, context);
    if (!graph) return graph.error();
    WholePath found;
    Result<RunPath> path = find_run_path(*graph, recorded_weights(*graph), context);
    if (!path) return std::move(path).error();
    for (const GraphEdge& edge : graph->graph.edges) count_link(found.links, edge);
    for (const std::uint32_t e : path->edges) count_link(found.on_path, graph->graph.edges[e]);
    found.path = *std::move(path);
    found.path.edges = {};
    cut_path(found.path, find_shown_end(run, *graph));
    found.range = {graph->range.begin, graph->range.begin + Duration{found.path.length}};
    found.replayed = add_up_by_bound(found.path);
    found.replayed_length = found.path.length;
    if (scales != Scales{}) {
        const Result<RunPath> replayed = find_run_path(*graph, weights_under(*graph, {.scales = scales}, {}), context);
        if (!replayed) return replayed.error();
        found.replayed = add_up_by_bound(*replayed);
        found.replayed_length = replayed->length;
    }
    found.not_joined = graph->joins.not_joined;
    found.moved = graph->moved;
    found.graphs = 1;
    return found;
}

void add(std::int64_t& sum, std::int64_t value) { sum = clamped(Wide{sum} + value); }

void add_counts(LinkCounts& sums, const LinkCounts& counts) {
    for (std::size_t kind = 0; kind < kEdgeKinds; ++kind)
        for (const std::size_t guessed : {0u, 1u}) sums[kind][guessed] += counts[kind][guessed];
}

// Puts a part behind the one before: what that has covered already is its.
void append(WholePath& whole, WholePath part) {
    const BoundTimes all = add_up_by_bound(part.path);
    const std::int64_t length = part.path.length;
    const std::int64_t covered = (whole.range.end - part.range.begin).count();
    cut_path_front(part.path, covered);
    const std::int64_t shift = (part.range.begin - whole.range.begin).count();
    for (RunStretch& stretch : part.path.stretches) {
        stretch.begin += shift;
        whole.path.stretches.push_back(stretch);
    }
    for (RunCrossing& crossing : part.path.crossings) {
        crossing.at += shift;
        whole.path.crossings.push_back(crossing);
    }
    const BoundTimes kept = add_up_by_bound(part.path);
    for (std::size_t i = 0; i < kBoundBy; ++i) add(whole.replayed[i], kept[i] + part.replayed[i] - all[i]);
    const std::int64_t more = std::max<std::int64_t>(length - covered, 0);
    add(whole.replayed_length, more + part.replayed_length - length);
    add(whole.path.length, more);
    whole.range.end = std::max(whole.range.end, part.range.end);
    add_counts(whole.links, part.links);
    add_counts(whole.on_path, part.on_path);
    whole.not_joined += part.not_joined;
    whole.moved.count += part.moved.count;
    add(whole.moved.sum, part.moved.sum);
    whole.moved.most = std::max(whole.moved.most, part.moved.most);
    whole.graphs += part.graphs;
}

}  // namespace

BoundTimes add_up_by_bound(const RunPath& path) {
    BoundTimes times{};
    for (const RunStretch& stretch : path.stretches)
        add(times[static_cast<std::size_t>(stretch.bound_by)], stretch.length);
    return times;
}

Result<WholePath> find_whole_path(const Run& run, const Waits& waits, std::span<const PartWindow> parts,
                                  const ChosenEvents& chosen, const Scales& scales, const PathLimits& limits,
                                  const JobContext& context) {
    const std::vector<std::vector<PartWindow>> windows = cut_at_steps(run, parts, limits.one_graph, limits.at_once);
    std::vector<std::optional<Result<WholePath>>> found(windows.size());
    Executor::instance().parallel_for(
        Priority::Answer, windows.size(), Executor::instance().threads(),
        [&](std::size_t i) { found[i] = find_part(run, waits, windows[i], chosen, scales, context); });
    for (std::optional<Result<WholePath>>& part : found)
        if (!*part) return std::move(*part).error();
    WholePath whole = **std::move(found.front());
    for (std::size_t i = 1; i < found.size(); ++i) append(whole, **std::move(found[i]));
    return whole;
}

}  // namespace core
