// Time of each analysis of efficiency after a change of the filter, on a run that is open: FLOP, modules and matches are
// known, which the first filter pays. Of each the slowest filter, and all of them one after the other.
//   bench_efficiency_bench PATH

#include "core/analysis/engine/analysis.hpp"
#include "core/collectives/waits.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kAnalyses[] = {
    "flop-coverage", "op-efficiency", "mfu",     "modules", "parallel-groups", "ddp-buckets",       "fsdp",
    "pipeline",      "experts",       "verdict", "health",  "comm-efficiency", "memory-efficiency", "findings"};
constexpr const char* kFilters[] = {"", "class:compute", "name:gemm", "rank:0-3", "dur:>20us", "step:complete"};

int fail(const core::Error& error) {
    std::fprintf(stderr, "efficiency_bench: %s\n", error.message.c_str());
    return 1;
}

// Milliseconds; below 0: it failed, which is said.
double time_answer(const core::Run& run, const char* id, const core::Filter& filter) {
    const core::Analysis& analysis = *core::find_analysis(id);
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    const Clock::time_point began = Clock::now();
    const core::Result<core::Answer> answer =
        core::run_analysis(analysis, run, filter, *core::make_params(analysis, {}), threads, {});
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
    if (answer) return ms;
    fail(answer.error());
    return -1;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return fail({core::ErrorCode::BadInput, "needs the path of a run"});
    core::LoadProgress progress;
    const std::filesystem::path paths[] = {arguments[1]};
    const core::Result<core::RunPtr> loaded = core::load_run(paths, {}, progress, {});
    if (!loaded) return fail(loaded.error());
    const core::RunPtr run = core::with_clocks(*loaded, core::ClockChoice::Auto);
    std::printf("%zu events, %zu ranks\n", run->event_count(), run->ranks().size());
    std::map<std::string, double> of_filter;
    std::printf("%-18s %10s %10s\n", "analysis", "first ms", "slowest ms");
    for (const char* id : kAnalyses) {
        double first = -1, slowest = 0;
        for (const char* text : kFilters) {
            const core::Result<core::Filter> filter = core::parse_filter(text);
            if (!filter) return fail(filter.error());
            if (first < 0) first = time_answer(*run, id, *filter);
            const double ms = time_answer(*run, id, *filter);
            if (first < 0 || ms < 0) return 1;
            slowest = std::max(slowest, ms);
            of_filter[text] += ms;
        }
        std::printf("%-18s %10.1f %10.1f\n", id, first, slowest);
    }
    for (const auto& [text, ms] : of_filter) std::printf("all under '%s': %.1f ms\n", text.c_str(), ms);
    return 0;
}
