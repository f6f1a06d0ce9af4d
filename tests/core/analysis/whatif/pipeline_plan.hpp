#pragma once
// Traces of a small pipeline whose times are known.

#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace core::testing {

// ns of each of four microbatches.
struct PipelineTimes {
    std::int64_t first_work = 50'000;   // of the first stage
    std::int64_t work = 100'000;        // of the last stage
    std::int64_t slow_work = 100'000;   // of the last stage on rank 3
    std::int64_t extra = 0;             // of a kernel that only rank 3 runs
};

// Pipelines of two stages, 0 → 2 and 1 → 3, whose stages are replicated in the groups {0, 1} and {2, 3}. After four
// microbatches both replicas reduce.
class PipelinePlan {
public:
    explicit PipelinePlan(const PipelineTimes& times = {}) : times_(times) {}

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
            fixture.step(0, end + 1, 1).event(1'000, end - 1'000, "cudaDeviceSynchronize", "cuda_runtime", {});
            const int stream = r < 2 ? 7 : 8;  // of the work that it follows
            fixture.kernel(begin, end - begin, "ncclDevKernel_AllReduce", stream, correlation_)
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
    static constexpr std::int64_t kTransfer = 2'000;

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
            first.kernel(own, times_.first_work, "forward", 7, correlation_);
            own += times_.first_work;
            const std::int64_t met = std::max(own, other);
            launch(first, m * 20 + 10);
            message(first, own, met + kTransfer, true, replica + 2, replica);
            launch(last, m * 30);
            message(last, other, met + kTransfer, false, replica, replica);
            own = other = met + kTransfer;
            if (replica == 1 && times_.extra > 0) {
                launch(last, m * 30 + 10);
                last.kernel(other, times_.extra, "only here", 8, correlation_);
                other += times_.extra;
            }
            launch(last, m * 30 + 20);
            const std::int64_t work = replica == 1 ? times_.slow_work : times_.work;
            last.kernel(other, work, "backward", 8, correlation_);
            other += work;
        }
        ends_[static_cast<std::size_t>(replica)] = own;
        ends_[static_cast<std::size_t>(replica) + 2] = other;
    }

    PipelineTimes times_;
    std::int64_t correlation_ = 0, length_ = 0;
    std::array<std::int64_t, 4> ends_{};
};

}  // namespace core::testing
