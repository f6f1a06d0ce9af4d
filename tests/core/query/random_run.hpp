#pragma once
// Small random runs for tests that compare with brute force: streams and threads, few names, some nested.

#include "tests/core/trace_fixture.hpp"

#include <random>

namespace core::testing {

inline RunPtr random_run(std::uint32_t seed, int ranks = 3, int events = 300) {
    std::mt19937 random(seed);
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < ranks; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank);
        for (int i = 0; i < events; ++i) {
            const auto start = static_cast<std::int64_t>(random() % 2000);
            const auto length = static_cast<std::int64_t>(random() % 30);
            const std::string name = (random() % 7 == 0 ? "ncclDevKernel_" : "k") + std::to_string(random() % 6);
            if (random() % 2 == 0)
                fixture.kernel(start, length, name, static_cast<int>(random() % 4));
            else
                fixture.cpu(start, length, name, static_cast<int>(100 + random() % 3));
        }
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

}  // namespace core::testing
