#pragma once
// Three ranks of kernels of two names and operators of which one shares a kernel's name, all of random durations.

#include "tests/core/trace_fixture.hpp"

#include <random>
#include <string_view>
#include <vector>

namespace ui::testing {

inline core::RunPtr gemm_and_relu() {
    std::mt19937 random(11);
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank) {
        core::testing::TraceFixture fixture;
        for (int k = 0; k < 50; ++k) {
            const auto duration = 1 + static_cast<std::int64_t>(random() % 90);
            fixture.kernel(1'000 * k + rank, duration, random() % 2 ? "gemm" : "relu", 7);
            fixture.cpu(1'000 * k, 2 * duration, "gemm");  // the same name, but no kernel
            fixture.cpu(1'000 * k + 500, duration, "aten::mm");
        }
        traces.push_back(fixture.rank(rank).build());
    }
    return core::testing::run_of(traces);
}

inline std::vector<core::EventRef> kernels_named(const core::Run& run, std::string_view name) {
    std::vector<core::EventRef> events;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot)
        for (const core::EventId event : run.rank(slot).trace().gpu_events)
            if (run.rank(slot).trace().name_text(event) == name) events.push_back({slot, event});
    return events;
}

inline std::int64_t duration_of(const core::Run& run, core::EventRef event) {
    return run.rank(event.slot).trace().duration[core::index_of(event.event)].count();
}

}  // namespace ui::testing
