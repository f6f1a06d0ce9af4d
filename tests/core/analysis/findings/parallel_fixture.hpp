#pragma once
// Small runs in which parallelism costs time, and otherwise equal ones in which it doesn't.

#include "tests/core/trace_fixture.hpp"

#include <vector>

namespace core::testing {

inline TraceFixture& add_member(TraceFixture& fixture, std::int64_t number, std::int64_t begin, std::int64_t end,
                                std::string_view operation, std::int64_t launched) {
    return fixture.launch(launched, 2, number)
        .kernel(begin, end - begin, "ncclDevKernel_Generic", 20, number)
        .arg(Arg::CollectiveName, operation)
        .arg(Arg::Seq, number)
        .arg(Arg::CollectiveDtype, "Float");
}

// Three buckets of 60 us in a backward pass until `backward_end`: from 280, 440 and 600 us on.
inline RunPtr run_of_buckets(std::int64_t backward_end) {
    TraceFixture fixture;
    fixture.step(0, 1'000'000, 1);
    fixture.cpu(100'000, 300'000, "autograd::engine::evaluate_function: MmBackward0");
    fixture.launch(100'500, 2, 50).kernel(200'000, backward_end - 200'000, "gemm", 7, 50);
    for (std::int64_t i = 1; i <= 3; ++i) {
        const std::int64_t begin = 120'000 + 160'000 * i;
        add_member(fixture, i, begin, begin + 60'000, "allreduce", 110'000 + 10'000 * i)
            .arg(Arg::InElements, 100'000)
            .arg(Arg::OutElements, 100'000);
    }
    fixture.event(450'000, 210'000, "cudaDeviceSynchronize", "cuda_runtime", {});  // until the last is done
    return run_of({fixture.build()});
}

// A shard is gathered for each of two layers; the first kernel begins `later` ns after its shard arrives.
inline RunPtr run_of_shards(std::int64_t later) {
    TraceFixture fixture;
    fixture.step(0, 1'000'000, 1);
    const auto add = [&](std::int64_t number, std::int64_t begin, std::int64_t end, std::string_view operation,
                         std::int64_t launched) {
        add_member(fixture, number, begin, end, operation, launched)
            .arg(Arg::InElements, 1'000)
            .arg(Arg::OutElements, 1'000);
    };
    add(1, 10'000, 60'000, "all_gather", 1'000);
    fixture.launch(2'000, 2, 101).kernel(60'000 + later, 100'000, "gemm", 7, 101);
    add(2, 70'000, 120'000, "all_gather", 3'000);
    fixture.launch(4'000, 2, 102).kernel(170'000 + later, 100'000, "gemm", 7, 102);
    fixture.cpu(300'000, 100'000, "autograd::engine::evaluate_function: MmBackward0");
    fixture.launch(301'000, 2, 103).kernel(400'000, 100'000, "gemm", 7, 103);
    add(3, 450'000, 530'000, "reduce_scatter", 302'000);
    return run_of({fixture.build()});
}

// Two stages, two microbatches of 100 us each, forward only, in a step of `step_ns`.
inline std::vector<RankTracePtr> stages(std::int64_t step_ns) {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank).step(0, step_ns, 1);
        const std::int64_t first = rank * 110'000;
        for (std::int64_t m = 0; m < 2; ++m) {
            const std::int64_t begin = first + m * 100'000;
            fixture.launch(100 + m * 100, 10, 50 + m).kernel(begin, 100'000, "gemm", 7, 50 + m);
            add_member(fixture, m + 1, 100'000 * (m + 1), 100'000 * (m + 1) + 10'000, rank == 0 ? "send" : "recv",
                       150 + m * 100)
                .arg(Arg::GroupName, "3")
                .arg(Arg::GroupDescription, "mesh_pp")
                .arg(Arg::GroupRanks, "[0, 1]")
                .arg(Arg::InElements, 1'000)
                .arg(Arg::OutElements, 1'000)
                .arg(rank == 0 ? Arg::DestinationRank : Arg::SourceRank, 1 - rank);
        }
        traces.push_back(fixture.build());
    }
    return traces;
}

// Two exchanges of 5 us between two experts, the second of which takes `share` percent of each.
inline RunPtr run_of_experts(std::int64_t share) {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank).step(0, 30'000, 1);
        for (std::int64_t i = 1; i <= 2; ++i)
            add_member(fixture, i, 10'000 * i, 10'000 * i + 5'000, "all_to_allv", 1'000 * i)
                .arg(Arg::InElements, 1'000)
                .arg(Arg::OutElements, 20 * (rank == 0 ? 100 - share : share));
        fixture.event(2'100, 22'900, "cudaDeviceSynchronize", "cuda_runtime", {});  // until the last is done
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

}  // namespace core::testing
