#include "core/analysis/whatif/typical.hpp"
#include "core/analysis/whatif/change.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

using namespace core;
using namespace core::testing;

namespace {

// Pipelines of two stages, 0 → 2 and 1 → 3, whose stages are replicated in the groups {0, 1} and {2, 3}. Stage 1
// computes 100 µs for each of four microbatches, on rank 3 as long as said; then both replicas reduce.
constexpr std::int64_t kForward = 50'000, kWork = 100'000, kTransfer = 2'000;

class PipelinePlan {
public:
    explicit PipelinePlan(std::int64_t slow_work, std::int64_t extra = 0) : slow_work_(slow_work), extra_(extra) {}

    RunPtr build() {
        std::vector<TraceFixture> ranks(4);
        for (int r = 0; r < 4; ++r) ranks[static_cast<std::size_t>(r)].rank(r);
        for (std::size_t replica = 0; replica < 2; ++replica)
            add_pipeline(ranks[replica], ranks[replica + 2], static_cast<int>(replica));
        std::vector<RankTracePtr> traces;
        for (int r = 0; r < 4; ++r) {
            TraceFixture& fixture = ranks[static_cast<std::size_t>(r)];
            launch(fixture, 900);
            const std::int64_t begin = ends_[static_cast<std::size_t>(r)];
            const std::int64_t end = (r < 2 ? std::max(ends_[0], ends_[1]) : std::max(ends_[2], ends_[3])) + kTransfer;
            length_ = std::max(length_, end);
            fixture.kernel(begin, end - begin, "ncclDevKernel_AllReduce", 9, correlation_)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::GroupName, r < 2 ? "first" : "last")
                .arg(Arg::GroupDescription, "DATA_PARALLEL_GROUP")
                .arg(Arg::GroupRanks, r < 2 ? "[0, 1]" : "[2, 3]");
            traces.push_back(fixture.build());
        }
        return run_of(traces);
    }
    std::int64_t length() const { return length_; }

private:
    void launch(TraceFixture& fixture, std::int64_t at) { fixture.launch(at, 5, ++correlation_); }

    void message(TraceFixture& fixture, std::int64_t begin, std::int64_t end, bool sends, int peer, int replica) {
        fixture.kernel(begin, end - begin, "ncclDevKernel_SendRecv", sends ? 7 : 8, correlation_)
            .arg(Arg::CollectiveName, sends ? "send" : "recv")
            .arg(sends ? Arg::DestinationRank : Arg::SourceRank, peer)
            .arg(Arg::GroupName, replica == 0 ? "left" : "right")
            .arg(Arg::GroupDescription, "PIPELINE_MODEL_PARALLEL_GROUP")
            .arg(Arg::GroupRanks, replica == 0 ? "[0, 2]" : "[1, 3]");
    }

    // Sends are on the stream of the work, so the first stage is held by a receiver that is not ready.
    void add_pipeline(TraceFixture& first, TraceFixture& last, int replica) {
        std::int64_t own = 1'000, other = 1'000;
        for (int m = 0; m < 4; ++m) {
            launch(first, m * 20);
            first.kernel(own, kForward, "forward", 7, correlation_);
            own += kForward;
            const std::int64_t met = std::max(own, other);
            launch(first, m * 20 + 10);
            message(first, own, met + kTransfer, true, replica + 2, replica);
            launch(last, m * 30);
            message(last, other, met + kTransfer, false, replica, replica);
            own = other = met + kTransfer;
            if (replica == 1 && extra_ > 0) {
                launch(last, m * 30 + 10);
                last.kernel(other, extra_, "only here", 8, correlation_);
                other += extra_;
            }
            launch(last, m * 30 + 20);
            const std::int64_t work = replica == 1 ? slow_work_ : kWork;
            last.kernel(other, work, "backward", 8, correlation_);
            other += work;
        }
        ends_[static_cast<std::size_t>(replica)] = own;
        ends_[static_cast<std::size_t>(replica) + 2] = other;
    }

    std::int64_t slow_work_, extra_;
    std::int64_t correlation_ = 0, length_ = 0;
    std::array<std::int64_t, 4> ends_{};
};

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
    PipelinePlan healthy(kWork), slow(kWork + 30'000);
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
    PipelinePlan healthy(kWork), slow(kWork, 40'000);
    healthy.build();
    const RunPtr run = slow.build();
    const RunGraph graph = build_graph(*run);
    CHECK(saved(*run, graph, {false, false, false, true}) == slow.length() - healthy.length());
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
