#include "core/analysis/whatif/typical.hpp"
#include "core/analysis/whatif/change.hpp"
#include "tests/core/analysis/whatif/pipeline_plan.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace core;
using namespace core::testing;

namespace {

RunGraph build_graph(const Run& run) {
    const Filter everything;
    std::vector<PartWindow> parts;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const Result<RankView> view = build_rank_view(run, slot, everything, {});
        REQUIRE(view);
        if (const auto window = find_path_window(*view)) parts.push_back({slot, *window});
    }
    Result<RunGraph> graph = build_run_graph(run, *waits_of(run), parts, {}, {});
    REQUIRE(graph);
    return *std::move(graph);
}

// Time that the run saves with these ranks like their peers.
std::int64_t saved(const Run& run, const RunGraph& graph, const std::vector<bool>& named) {
    const Result<Partners> partners = find_partners(run, *waits_of(run), graph, TypicalOver::Ranks, {});
    REQUIRE(partners);
    const Change change = change_to(make_typical(graph, *partners, named));
    const Result<NodeTimes> times = replay_times(graph.graph, weights_under(graph, change, {}), {});
    REQUIRE(times);
    return graph.length() - (*times)[graph.sink];
}

}  // namespace

TEST_CASE("in a pipeline the slow rank alone saves what it is slower, and no rank that it holds up") {
    PipelinePlan healthy, slow({.slow_work = 130'000});
    healthy.build();
    const RunPtr run = slow.build();
    const RunGraph graph = build_graph(*run);
    const std::int64_t lost = slow.length() - healthy.length();
    CHECK(lost == 4 * 30'000);
    CHECK(saved(*run, graph, {false, false, false, true}) == lost);
    CHECK(saved(*run, graph, {true, false, false, false}) == 0);
    CHECK(saved(*run, graph, {false, true, false, false}) == 0);
    CHECK(saved(*run, graph, {false, false, true, false}) <= 0);
}

TEST_CASE("a rank like its peers loses the kernels that only it runs") {
    PipelinePlan healthy, slow({.extra = 40'000});
    healthy.build();
    const RunPtr run = slow.build();
    const RunGraph graph = build_graph(*run);
    CHECK(saved(*run, graph, {false, false, false, true}) == slow.length() - healthy.length());
}

TEST_CASE("without launches work waits for what ended last on any stream, so a slow rank costs its peers") {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 3; ++r) {
        TraceFixture fixture;
        fixture.rank(r);
        for (int step = 0; step < 2; ++step) {
            const std::int64_t begin = step * 100'000, work = r == 2 ? 30'000 : 20'000;
            fixture.step(begin, 90'000, step);  // the host waits for nothing
            fixture.kernel(begin, work, "gemm", 7);
            fixture.kernel(begin + work + 100, 40'000 - work, "ncclDevKernel_AllReduce", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::GroupName, "dp")
                .arg(Arg::Seq, step);
        }
        traces.push_back(fixture.build());
    }
    const RunPtr run = run_of(traces);
    const RunGraph graph = build_graph(*run);
    CHECK(saved(*run, graph, {false, false, true}) == 2 * 10'000);
    CHECK(saved(*run, graph, {true, false, false}) == 0);
}

TEST_CASE("kernels of another name do the same work where peers have as many") {
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 3; ++r) {
        TraceFixture fixture;
        fixture.rank(r).launch(0, 5, 1).launch(10, 5, 2);
        fixture.kernel(1'000, 10'000, "gemm_128x128", 7, 1);
        fixture.kernel(11'000, r == 2 ? 20'000 : 10'000, r == 2 ? "gemm_64x64" : "gemm_256x128", 7, 2);
        fixture.launch(20, 5, 3);
        fixture.kernel(r == 2 ? 31'000 : 21'000, r == 2 ? 1'000 : 11'000, "ncclDevKernel_AllReduce", 7, 3)
            .arg(Arg::CollectiveName, "allreduce")
            .arg(Arg::GroupName, "dp")
            .arg(Arg::Seq, 1);
        traces.push_back(fixture.build());
    }
    const RunPtr run = run_of(traces);
    const RunGraph graph = build_graph(*run);
    CHECK(saved(*run, graph, {false, false, true}) == 10'000);
}
