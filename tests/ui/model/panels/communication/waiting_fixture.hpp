#pragma once
// Ranks that meet in numbered collectives: who arrives when is given, all leave together.

#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ui::testing {

// arrivals[k][r]: ns after the k-th collective's own millisecond at which rank r arrives; 1 µs of transfer each.
inline core::RunPtr run_with_arrivals(const std::vector<std::vector<std::int64_t>>& arrivals) {
    using core::Arg;
    const std::size_t ranks = arrivals.front().size();
    std::string members = "[0";
    for (std::size_t r = 1; r < ranks; ++r) members += ", " + std::to_string(r);
    members += "]";
    std::vector<core::RankTracePtr> traces;
    for (std::size_t r = 0; r < ranks; ++r) {
        core::testing::TraceFixture fixture;
        for (std::size_t k = 0; k < arrivals.size(); ++k) {
            const auto base = static_cast<std::int64_t>(k) * 1'000'000;
            const std::int64_t last = *std::ranges::max_element(arrivals[k]);
            fixture.kernel(base, 1'000, "gemm", 7);
            fixture.kernel(base + arrivals[k][r], last + 1'000 - arrivals[k][r], "ncclDevKernel_AllReduce", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::GroupName, "dp")
                .arg(Arg::GroupRanks, members)
                .arg(Arg::Seq, static_cast<std::int64_t>(k));
        }
        traces.push_back(fixture.rank(static_cast<int>(r)).build());
    }
    return core::testing::run_of(traces);
}

// Rank 2 of three comes last by 100 to 300 us in each of six.
inline core::RunPtr run_with_late_rank() {
    std::vector<std::vector<std::int64_t>> arrivals;
    for (std::int64_t k = 0; k < 6; ++k) arrivals.push_back({2'000, 12'000 + k, 112'000 + 40'000 * (k % 3)});
    return run_with_arrivals(arrivals);
}

}  // namespace ui::testing
