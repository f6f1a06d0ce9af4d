// The graph of a run, its path and one replay: ranks that compute and meet in collectives, each stage in elapsed time.
//   bench_whatif_bench [RANKS EVENTS]     8 and 1,000,000 if not given

#include "core/analysis/whatif/run_path.hpp"
#include "tests/core/analysis/whatif/planned_run.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

double seconds_since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

int main(int count, char** arguments) {
    using namespace core;
    const int ranks = count > 1 ? std::atoi(arguments[1]) : 8;
    const int events = count > 2 ? std::atoi(arguments[2]) : 1'000'000;
    if (ranks < 1 || events < 4) {
        std::fprintf(stderr, "whatif_bench: needs a number of ranks above 0 and at least 4 events\n");
        return 1;
    }
    testing::Plan plan;
    const auto rounds = static_cast<std::size_t>(events / 4);
    plan.begin = static_cast<std::int64_t>(rounds) * 200;
    for (int r = 0; r < ranks; ++r) plan.work.emplace_back(rounds, 2'000 + r);
    plan.transfer.assign(rounds, 500);
    const RunPtr run = testing::run_of_plan(plan);
    const WaitsPtr waits = waits_of(*run);
    const Filter everything;
    const auto began = std::chrono::steady_clock::now();
    std::vector<PartWindow> parts;
    for (std::uint32_t slot = 0; slot < run->ranks().size(); ++slot) {
        const Result<RankView> view = build_rank_view(*run, slot, everything, {});
        const auto window = view ? find_path_window(*view) : std::nullopt;
        if (window) parts.push_back({slot, *window});
    }
    const Result<RunGraph> graph = build_run_graph(*run, *waits, parts, {}, {});
    if (!graph) return 1;
    const double built = seconds_since(began);
    const Result<RunPath> path = find_run_path(*graph, recorded_weights(*graph), {});
    const double found = seconds_since(began);
    if (!path) return 1;
    const Result<NodeTimes> times = replay_times(graph->graph, recorded_weights(*graph), {});
    const double replayed = seconds_since(began);
    if (!times) return 1;
    std::printf("%d ranks, %d events each: %zu nodes, %zu edges\n", ranks, events, graph->graph.time.size(),
                graph->graph.edges.size());
    std::printf("  graph %.3f s, path %.3f s, together %.3f s; one replay %.3f s\n", built, found - built, found,
                replayed - found);
    return path->length == graph->length() ? 0 : 1;
}
