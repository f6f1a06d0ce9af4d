// Loading nodes of replayed graphs against as many kernels with a launch each: the same kernels on the same streams,
// written to two files and loaded in turn. Then what graphs add on demand: replays, attribution and edges.
//
// bench_graph_bench [NODES] [ROUNDS]: 1,000,000 and 3 without

#include "core/graphs/graph_attribution.hpp"
#include "core/graphs/replay_edges.hpp"
#include "core/ingest/load/load_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr long kNodesOfGraph = 1000;

double ms_since(Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

// With ids and one launch for each replay of a graph, or a launch for each kernel.
bool write_trace(const std::filesystem::path& path, long nodes, bool of_graph) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (!file) return false;
    std::fputs("{\"distributedInfo\": {\"rank\": 0, \"world_size\": 1}, \"traceEvents\": [\n", file);
    for (long n = 0; n < nodes; ++n) {
        const long correlation = of_graph ? n / kNodesOfGraph + 1 : n + 1;
        if (!of_graph || n % kNodesOfGraph == 0)
            std::fprintf(file,
                         "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, \"ts\": "
                         "%ld.5, \"dur\": 3, \"args\": {\"cbid\": 311, \"correlation\": %ld}},\n",
                         of_graph ? "cudaGraphLaunch" : "cudaLaunchKernel", n * 10, correlation);
        std::fprintf(file,
                     "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"kernel_%ld\", \"pid\": 0, \"tid\": 7, \"ts\": "
                     "%ld.0, \"dur\": 8, \"args\": {\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %ld",
                     n % 50, n * 10 + 5, correlation);
        if (of_graph)
            std::fprintf(file, ", \"graph id\": 3, \"graph node id\": %ld", 3 * (1L << 32) + n % kNodesOfGraph);
        std::fprintf(file, "}}%s\n", n + 1 < nodes ? "," : "");
    }
    std::fputs("]}\n", file);
    return std::fclose(file) == 0;
}

core::RunPtr load(const std::filesystem::path& path) {
    core::LoadProgress progress;
    core::LoadOptions options;
    options.index_files = core::IndexFiles::Ignore;
    const core::Result<core::RunPtr> run = core::load_run(std::vector{path}, options, progress, {});
    if (!run) std::fprintf(stderr, "graph_bench: %s\n", run.error().message.c_str());
    return run ? *run : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    const long nodes = argc > 1 ? std::atol(argv[1]) : 1'000'000, rounds = argc > 2 ? std::atol(argv[2]) : 3;
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const std::filesystem::path paths[] = {folder / "lockstep_graph_bench.json", folder / "lockstep_eager_bench.json"};
    if (!write_trace(paths[0], nodes, true) || !write_trace(paths[1], nodes, false)) return 1;
    double best[] = {0, 0};
    core::RunPtr graphs;
    for (long round = 0; round < rounds; ++round) {
        for (int i = 0; i < 2; ++i) {
            const Clock::time_point began = Clock::now();
            core::RunPtr run = load(paths[i]);
            const double ms = ms_since(began);
            if (!run) return 1;
            best[i] = round == 0 ? ms : std::min(best[i], ms);
            if (i == 0) graphs = std::move(run);
        }
    }
    std::printf("load, %ld kernels: of graphs %.0f ms, with a launch each %.0f ms, ratio %.2f\n", nodes, best[0],
                best[1], best[0] / best[1]);
    Clock::time_point began = Clock::now();
    const auto known = core::graph_attribution_of(*graphs->rank(0).index, {});
    std::printf("attribution of %zu replays: %.0f ms\n", known->replays.replays.size(), ms_since(began));
    began = Clock::now();
    const auto edges = core::replay_edges_of(*graphs->rank(0).index, {});
    std::printf("edges of replays: %.0f ms\n", ms_since(began));
    for (const std::filesystem::path& path : paths) std::filesystem::remove(path);
    return 0;
}
