#pragma once
// Two small runs, their alignment and both runs' answers, for tests of comparisons.

#include "core/diff/join/compare_runs.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <random>

namespace ui::testing {

struct RunShape {
    int first_rank = 0;
    int ranks = 3;
    int first_step = 0;
    int steps = 4;
    unsigned seed = 1;                    // of what happens in the steps
    const char* own_kernel = "relu";      // besides those that all runs have
};

inline core::RunPtr make_run(const RunShape& shape) {
    std::mt19937 random(shape.seed);
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        core::testing::TraceFixture fixture;
        for (int step = 0; step < shape.steps; ++step) {
            const std::int64_t at = 10'000 * step;
            const std::int64_t correlation = 100 * step;
            fixture.step(at, 9'000 + static_cast<std::int64_t>(random() % 900), shape.first_step + step);
            const char* names[] = {"gemm", "ncclDevKernel_AllReduce", "Memcpy HtoD", shape.own_kernel};
            for (int k = 0; k < 12; ++k) {
                const auto which = random() % 4;
                fixture.launch(at + 10 + 40 * k, 20, correlation + k)
                    .kernel(at + 100 + static_cast<std::int64_t>(random() % 8'000),
                            1 + static_cast<std::int64_t>(random() % 900), names[which],
                            static_cast<int>(7 + random() % 3), correlation + k, which == 2 ? "gpu_memcpy" : "kernel");
            }
        }
        traces.push_back(fixture.rank(shape.first_rank + rank).build());
    }
    return core::testing::run_of(traces);
}

struct TwoRuns {
    core::BySide<core::RunPtr> runs;
    core::RunAlignment alignment;
    TwoRuns(const RunShape& baseline, const RunShape& candidate)
        : runs{make_run(baseline), make_run(candidate)}, alignment(core::align_runs(*runs.baseline, *runs.candidate)) {}

    core::Filter filter(core::Side side, std::string_view text) const {
        return alignment.filter_for(side, core::parse_filter(text).value());
    }
    core::Answer answer(core::Side side, std::string_view id, const core::Filter& filter) const {
        const core::Analysis& analysis = *core::find_analysis(id);
        core::Params params;
        for (const core::Param& param : analysis.params) params.push_back(param.standard);
        return core::run_analysis(analysis, *runs[side], filter, params, 2, {}).value();
    }
    // As `lockstep diff` has it.
    core::Comparison compare(std::string_view id, std::string_view filter_text) const {
        const core::Analysis& analysis = *core::find_analysis(id);
        core::Params params;
        for (const core::Param& param : analysis.params) params.push_back(param.standard);
        const core::DiffQuery query{&analysis, params, core::parse_filter(filter_text).value()};
        return core::compare_runs(query, {runs.baseline.get(), runs.candidate.get()}, alignment, 2, {})
            .value()
            .comparison;
    }
};

// Variants for the tests: equal numbers, other steps, other ranks, both, one of each.
inline std::vector<std::pair<RunShape, RunShape>> run_pairs() {
    return {{{}, {0, 3, 0, 4, 2, "gelu"}},  {{}, {0, 3, 5, 4, 2}}, {{}, {0, 3, 0, 2, 2}},
            {{}, {8, 3, 0, 4, 2}},          {{}, {0, 2, 0, 6, 2}}, {{0, 2}, {5, 4, 7, 3, 2}},
            {{0, 1, 0, 1}, {0, 1, 3, 1, 2}}};
}

}  // namespace ui::testing
