// Time of each efficiency analysis after a change of the filter on an open run whose FLOP, modules and matches are
// already known. Reports each under its slowest filter, and all of them in sequence, sharing a filter's selections as
// in the window.
//
// bench_efficiency_bench PATH

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/executor.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

double ms_since(Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

// As in the window: analyses of one filter share the selections of its ranks.
class FilteredRun {
public:
    FilteredRun(const core::Run& run, const core::Filter& filter) : run_(run), filter_(filter) {
        const Clock::time_point began = Clock::now();
        for (std::size_t slot = 0; slot < run.ranks().size(); ++slot)
            if (filter.accepts_rank(run.rank(slot).key)) slots_.push_back(slot);
        selections_.resize(slots_.size());
        core::Executor::instance().parallel_for(
            core::Priority::Answer, slots_.size(), threads(), [&](std::size_t place) {
                auto built = core::Selection::build(run_, slots_[place], filter_.without_time_and_rank(), {});
                if (built) selections_[place] = *std::move(built);
            });
        selecting_ms_ = ms_since(began);
    }
    double selecting_ms() const { return selecting_ms_; }

    // Milliseconds; negative after a failure, which is printed.
    double time_answer(const core::Analysis& analysis) const {
        const core::Params params = *core::make_params(analysis, {});
        const Clock::time_point began = Clock::now();
        std::vector<std::optional<core::Result<core::Partial>>> partials(slots_.size());
        core::Executor::instance().parallel_for(
            core::Priority::Answer, slots_.size(), threads(), [&](std::size_t place) {
                const core::RankView view = core::view_rank(run_, slots_[place], filter_, selections_[place]);
                partials[place] = analysis.rank(view, params, {});
            });
        std::vector<const core::Partial*> parts;
        for (const auto& partial : partials) {
            if (!*partial) return fail(partial->error()), -1;
            parts.push_back(&**partial);
        }
        const core::Result<core::Answer> answer = core::merge_partials(analysis, parts, run_, params, {});
        if (!answer) return fail(answer.error()), -1;
        return ms_since(began);
    }

private:
    static unsigned threads() { return std::max(1U, std::thread::hardware_concurrency()); }
    const core::Run& run_;
    const core::Filter& filter_;
    std::vector<std::size_t> slots_;
    std::vector<core::SelectionPtr> selections_;
    double selecting_ms_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return fail({core::ErrorCode::BadInput, "needs the path of a run"});
    core::LoadProgress progress;
    const std::filesystem::path paths[] = {arguments[1]};
    const core::Result<core::RunPtr> loaded = core::load_run(paths, {}, progress, {});
    if (!loaded) return fail(loaded.error());
    const core::RunPtr run = core::with_clocks(*loaded, core::ClockChoice::Auto);
    std::printf("%zu events, %zu ranks\n", run->event_count(), run->ranks().size());
    std::map<std::string, double> slowest;
    for (const char* id : kAnalyses)  // what a run's first filter pays
        if (FilteredRun(*run, {}).time_answer(*core::find_analysis(id)) < 0) return 1;
    for (const char* text : kFilters) {
        const core::Result<core::Filter> filter = core::parse_filter(text);
        if (!filter) return fail(filter.error());
        const FilteredRun filtered(*run, *filter);
        double sum = filtered.selecting_ms();
        for (const char* id : kAnalyses) {
            const double ms = filtered.time_answer(*core::find_analysis(id));
            if (ms < 0) return 1;
            slowest[id] = std::max(slowest[id], ms);
            sum += ms;
        }
        std::printf("under '%s': selecting %.1f ms, with all analyses one after the other %.1f ms\n", text,
                    filtered.selecting_ms(), sum);
    }
    for (const char* id : kAnalyses) std::printf("%-18s %8.1f ms under its slowest filter\n", id, slowest[id]);
    return 0;
}
