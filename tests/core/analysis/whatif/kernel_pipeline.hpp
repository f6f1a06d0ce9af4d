#pragma once
// Runs of kernels in pipelines with one forward and one backward in turn (1F1B), whose calls are all launched ahead and
// whose waits for messages are not recorded; and what a walk through the same schedule takes.

#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace core::testing {

class KernelPipeline {
public:
    int stages = 3;
    int replicas = 2;
    int microbatches = 5;
    int steps = 1;
    // ns of a forward; a backward takes twice that. By stage.
    std::vector<std::int64_t> forward = {100'000, 100'000, 100'000};
    int slow_replica = -1, slow_stage = -1;  // there passes take twice as long
    // Names of a pass's kernels, of equal time.
    std::vector<std::string> forward_names = {"norm", "gemm", "gelu"};
    std::vector<std::string> backward_names = {"gelu_backward", "gemm", "gemm", "norm_backward"};
    bool launches = true;

    static constexpr std::int64_t kTransfer = 1'000, kReduction = 20'000, kOptimizer = 5'000, kBegin = 50'000;

    std::int64_t time_of(int replica, int stage, bool backward) const {
        const std::int64_t one = forward[static_cast<std::size_t>(stage)] * (backward ? 2 : 1);
        return replica == slow_replica && stage == slow_stage ? 2 * one : one;
    }

    // Begins of the passes, and the end of the step, ns since its begin.
    struct Walk {
        std::vector<std::vector<std::pair<bool, std::int64_t>>> passes;  // by replica * stages + stage: backward, begin
        std::int64_t end = 0;
    };
    Walk walk() const {
        Walk walk;
        std::int64_t all = 0;
        for (int replica = 0; replica < replicas; ++replica) {
            const auto passes = walk_replica(replica);
            for (int stage = 0; stage < stages; ++stage) {
                const auto& own = passes[static_cast<std::size_t>(stage)];
                walk.passes.push_back(own);
                all = std::max(all, own.back().second + time_of(replica, stage, own.back().first));
            }
        }
        // Each stage's replicas reduce when the last of them is there.
        for (int stage = 0; stage < stages; ++stage)
            walk.end = std::max(walk.end, last_of_stage(walk, stage) + kReduction + kOptimizer);
        return walk;
    }

    RunPtr build() const {
        const Walk one = walk();
        std::vector<RankTracePtr> traces;
        for (int stage = 0; stage < stages; ++stage)
            for (int replica = 0; replica < replicas; ++replica) traces.push_back(make_rank(one, replica, stage));
        return run_of(traces);
    }

    int rank_of(int replica, int stage) const { return stage * replicas + replica; }

private:
    using Order = std::vector<std::pair<bool, int>>;  // backward, microbatch

    Order order_of(int stage) const {
        Order order;
        const int ahead = std::min(stages - 1 - stage, microbatches);
        for (int m = 0; m < ahead; ++m) order.emplace_back(false, m);
        for (int m = 0; m < microbatches; ++m) {
            if (m + ahead < microbatches) order.emplace_back(false, m + ahead);
            order.emplace_back(true, m);
        }
        return order;
    }

    std::vector<std::vector<std::pair<bool, std::int64_t>>> walk_replica(int replica) const {
        const auto count = static_cast<std::size_t>(stages);
        std::vector<std::vector<std::pair<bool, std::int64_t>>> passes(count);
        std::vector<std::array<std::vector<std::int64_t>, 2>> ends(count);  // by direction and microbatch
        std::vector<std::size_t> next(count, 0);
        std::vector<std::int64_t> free(count, kBegin);
        for (bool moved = true; moved;) {
            moved = false;
            for (int stage = 0; stage < stages; ++stage) {
                const auto s = static_cast<std::size_t>(stage);
                const Order order = order_of(stage);
                while (next[s] < order.size()) {
                    const auto [backward, microbatch] = order[next[s]];
                    std::int64_t ready = free[s];
                    const int from = stage + (backward ? 1 : -1);
                    if (from >= 0 && from < stages) {
                        const auto& sent = ends[static_cast<std::size_t>(from)][backward ? 1 : 0];
                        if (sent.size() <= static_cast<std::size_t>(microbatch)) break;
                        ready = std::max(ready, sent[static_cast<std::size_t>(microbatch)] + kTransfer);
                    }
                    passes[s].emplace_back(backward, ready);
                    free[s] = ready + time_of(replica, stage, backward);
                    ends[s][backward ? 1 : 0].push_back(free[s]);
                    ++next[s];
                    moved = true;
                }
            }
        }
        return passes;
    }

    std::int64_t last_of_stage(const Walk& walk, int stage) const {
        std::int64_t last = 0;
        for (int replica = 0; replica < replicas; ++replica) {
            const auto& own = walk.passes[static_cast<std::size_t>(replica * stages + stage)];
            last = std::max(last, own.back().second + time_of(replica, stage, own.back().first));
        }
        return last;
    }

    RankTracePtr make_rank(const Walk& walk, int replica, int stage) const {
        TraceFixture fixture;
        fixture.rank(rank_of(replica, stage));
        std::int64_t correlation = 0;
        for (int step = 0; step < steps; ++step) add_step(fixture, walk, replica, stage, step, correlation);
        return fixture.build();
    }

    void add_step(TraceFixture& fixture, const Walk& walk, int replica, int stage, int step,
                  std::int64_t& correlation) const {
        const std::int64_t at = step * (walk.end + 10'000);
        std::int64_t call = at + 100;
        fixture.step(at, walk.end, step + 1);
        const auto kernel = [&](std::int64_t begin, std::int64_t length, std::string_view name,
                                int stream) -> TraceFixture& {
            ++correlation;
            if (launches) fixture.launch(call, 20, correlation);
            call += 40;
            return fixture.kernel(at + begin, length, name, stream, correlation);
        };
        const auto message = [&](std::int64_t begin, bool sends, int peer, int stream) {
            std::string ranks;
            for (int s = 0; s < stages; ++s) ranks += (s > 0 ? ", " : "") + std::to_string(rank_of(replica, s));
            kernel(begin, kTransfer, "ncclDevKernel_SendRecv", stream)
                .arg(Arg::CollectiveName, sends ? "send" : "recv")
                .arg(sends ? Arg::DestinationRank : Arg::SourceRank, rank_of(replica, peer))
                .arg(Arg::GroupName, "pipeline " + std::to_string(replica))
                .arg(Arg::GroupDescription, "PIPELINE_MODEL_PARALLEL_GROUP")
                .arg(Arg::GroupRanks, "[" + ranks + "]");
        };
        std::array<std::size_t, 2> numbers{};
        std::array<std::vector<std::int64_t>, 2> sent_before = sent_to(walk, replica, stage);
        for (const auto& [backward, begin] : walk.passes[static_cast<std::size_t>(replica * stages + stage)]) {
            const int from = stage + (backward ? 1 : -1), to = stage + (backward ? -1 : 1);
            const std::size_t number = numbers[backward ? 1 : 0]++;
            if (from >= 0 && from < stages)
                message(sent_before[backward ? 1 : 0][number], false, from, backward ? 20 : 21);
            const std::vector<std::string>& names = backward ? backward_names : forward_names;
            const auto count = static_cast<std::int64_t>(names.size());
            const std::int64_t time = time_of(replica, stage, backward);
            for (std::int64_t i = 0; i < count; ++i)
                kernel(begin + time * i / count, time * (i + 1) / count - time * i / count,
                       names[static_cast<std::size_t>(i)], 7);
            if (to >= 0 && to < stages) message(begin + time, true, to, backward ? 22 : 23);
        }
        const auto& own = walk.passes[static_cast<std::size_t>(replica * stages + stage)];
        const std::int64_t begin = own.back().second + time_of(replica, stage, own.back().first);
        const std::int64_t end = last_of_stage(walk, stage) + kReduction;
        std::string ranks;
        for (int r = 0; r < replicas; ++r) ranks += (r > 0 ? ", " : "") + std::to_string(rank_of(r, stage));
        kernel(begin, end - begin, "ncclDevKernel_AllReduce", 30)
            .arg(Arg::CollectiveName, "allreduce")
            .arg(Arg::GroupName, "replicas " + std::to_string(stage))
            .arg(Arg::GroupDescription, "DATA_PARALLEL_GROUP")
            .arg(Arg::GroupRanks, "[" + ranks + "]")
            .arg(Arg::Seq, step);
        kernel(end, kOptimizer, "adam", 7);
    }

    // Ends of the passes that a stage's inputs come from, by direction and microbatch.
    std::array<std::vector<std::int64_t>, 2> sent_to(const Walk& walk, int replica, int stage) const {
        std::array<std::vector<std::int64_t>, 2> sent;
        for (const bool backward : {false, true}) {
            const int from = stage + (backward ? 1 : -1);
            if (from < 0 || from >= stages) continue;
            for (const auto& [is_backward, begin] : walk.passes[static_cast<std::size_t>(replica * stages + from)])
                if (is_backward == backward) sent[backward ? 1 : 0].push_back(begin + time_of(replica, from, backward));
        }
        return sent;
    }
};

}  // namespace core::testing
