#pragma once
// Runs of ranks that repeatedly compute and then meet in a collective, all launched ahead; and the
// result of a naive walk through the plan.

#include "tests/core/trace_fixture.hpp"

#include <algorithm>
#include <random>

namespace core::testing {

struct Plan {
    std::vector<std::vector<std::int64_t>> work;  // by rank, by round
    std::vector<std::int64_t> transfer;           // by round
    std::int64_t begin = 5'000;                   // of the first kernel
};

inline Plan random_plan(unsigned seed) {
    std::mt19937_64 random(seed);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    Plan plan;
    const std::size_t ranks = 2 + random() % 5, rounds = 1 + random() % 12;
    for (std::size_t r = 0; r < ranks; ++r) {
        plan.work.emplace_back();
        for (std::size_t k = 0; k < rounds; ++k) plan.work.back().push_back(between(1'000, 500'000));
    }
    for (std::size_t k = 0; k < rounds; ++k) plan.transfer.push_back(between(1, 90'000));
    return plan;
}

struct Walked {
    std::int64_t end = 0;
    std::vector<std::size_t> last;  // rank, by round
};

inline Walked walk(const Plan& plan) {
    std::vector<std::int64_t> at(plan.work.size(), plan.begin);
    Walked walked;
    for (std::size_t k = 0; k < plan.transfer.size(); ++k) {
        for (std::size_t r = 0; r < at.size(); ++r) at[r] += plan.work[r][k];
        const auto last = std::ranges::max_element(at);
        walked.last.push_back(static_cast<std::size_t>(last - at.begin()));
        const std::int64_t end = *last + plan.transfer[k];
        std::ranges::fill(at, end);
    }
    walked.end = std::ranges::max(at);
    return walked;
}

// Rank r's clock is ahead by offsets[r], if given.
inline RunPtr run_of_plan(const Plan& plan, const std::vector<std::int64_t>& offsets = {}) {
    std::vector<TraceFixture> fixtures(plan.work.size());
    std::vector<std::int64_t> at(plan.work.size(), plan.begin);
    std::int64_t correlation = 0;
    for (std::size_t k = 0; k < plan.transfer.size(); ++k) {
        for (std::size_t r = 0; r < at.size(); ++r) at[r] += plan.work[r][k];
        const std::int64_t end = std::ranges::max(at) + plan.transfer[k];
        for (std::size_t r = 0; r < at.size(); ++r) {
            const std::int64_t ahead = r < offsets.size() ? offsets[r] : 0;
            const auto call = ahead + static_cast<std::int64_t>(k) * 200;
            ++correlation;
            fixtures[r].launch(call, 50, correlation);
            fixtures[r].kernel(ahead + at[r] - plan.work[r][k], plan.work[r][k], "gemm", 7, correlation);
            ++correlation;
            fixtures[r].launch(call + 100, 50, correlation);
            fixtures[r]
                .kernel(ahead + at[r], end - at[r], "ncclDevKernel_AllReduce", 7, correlation)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::GroupName, "dp")
                .arg(Arg::Seq, static_cast<std::int64_t>(k));
            at[r] = end;
        }
    }
    std::vector<RankTracePtr> traces;
    for (std::size_t r = 0; r < fixtures.size(); ++r) traces.push_back(fixtures[r].rank(static_cast<int>(r)).build());
    return run_of(traces);
}

}  // namespace core::testing
