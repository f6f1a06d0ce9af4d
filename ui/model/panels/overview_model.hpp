#pragma once
// First questions about a run: is it complete, how long are steps and how much do they vary, where
// did the time go, which rank and step are worst. For two runs also: is the candidate slower, by
// how much, and where. Computed from answers of temporal-breakdown, steps and stragglers (null:
// without its numbers). Durations in ns. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/diff/statistics/run_statistics.hpp"
#include "core/index/rank_count.hpp"
#include "core/index/run.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/model/charts/logged_series.hpp"
#include "ui/model/charts/spread.hpp"
#include "ui/model/panels/breakdown_model.hpp"
#include "ui/model/panels/first_screen.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ui {

// One step on one rank.
struct StepTime {
    core::RankKey rank;
    std::int64_t step = 0;
    double duration = 0;
    core::RunRange range;
};

struct StepTimes {
    Spread all;                          // every step of every rank; ids are indices into `steps`
    Spread over_ranks;                   // median step of each rank; ids are RankKey::packed()
    Spread over_steps;                   // longest time of each step over the ranks; ids are step numbers
    std::vector<StepTime> slowest;       // per point of over_steps, the rank that took longest
    bool worst_stands_out = false;       // the longest of over_steps is more than noise
    std::vector<std::int64_t> warm_up;   // first steps that aren't steady yet: excluded above
    std::size_t least_per_rank = 0;      // smallest number of steps of a rank, warm-up included
    std::size_t most_per_rank = 0;
};

// A part of the ranks' windows, and its worst rank: least compute, most of the other parts.
struct TimePart {
    std::string_view id;                 // "compute": the column of temporal-breakdown
    std::string_view title;
    double time = 0;                     // over all ranks
    double share = 0;                    // relative to the sum of their windows
    bool least_is_worst = false;
    core::RankKey worst;
    double worst_share = 0;              // relative to that rank's window
    double median_share = 0;             // median over the ranks' windows
    std::optional<double> waiting{};     // part of share: waiting; absent if unmatched
};

// The rank that stands out: the latest of those that findings have as late; else the one with
// the longest median step, if that is 3 % over the median rank's; else the one that idles most, if that is 5 % of the
// window more than the median rank, because collectives make the steps of all ranks equally long; else none.
struct WorstRank {
    core::RankKey rank;
    bool by_step_time = false;
    double over = 0;  // step time over the median rank's, as a ratio: 0.1 is 10 %
    double idle_share = 0;  // share of its window, if chosen by idle time
    std::int64_t waited_ns = 0;  // waiting of the others, if chosen by that; else 0
    bool is_late = false;  // chosen by findings
};

struct EnvironmentLine {
    std::string label;
    std::string value;
    std::size_t others = 0;  // number of further values, if they differ between ranks
};

struct RunOverview {
    core::RankCount ranks;
    std::optional<core::RankCount> chosen;  // ranks chosen by the filter or the compared part; unset: all
    std::optional<int> world_size;  // as stated by the files
    std::size_t damaged = 0;  // ranks whose files could only be read in part
    core::RunRange window;
    StepTimes steps;  // empty spreads if the run has no steps
    std::vector<TimePart> parts;  // empty without GPU events
    std::size_t ranks_with_parts = 0;
    std::vector<core::RankKey> ranks_without_parts;  // launches of theirs have no GPU event, so nobody knows
    std::optional<WorstRank> worst_rank;  // only with two or more ranks
    std::vector<EnvironmentLine> environment;  // devices first
    std::optional<LoggedSeries> logged;  // training log over the whole job
    std::optional<FirstScreen> without_gpu;  // set if the run has no GPU events
    std::size_t losses = 0;  // kinds of diagnostics about changed or lost data

    static RunOverview of(const core::Run&, const core::Table* breakdown, const core::Table* steps,
                          const core::Table* stragglers = nullptr, const core::Table* findings = nullptr);
    // Excess over the median, as a ratio: 0.1 is 10 %; 0 without a median.
    static double over_median(const Spread&, double value);
};

struct PairedRankStep {
    RankPair rank;
    Compared median_step;
};

struct PairedEnvironment {
    std::string label;
    core::BySide<std::string> values;  // empty: unknown on that side
};

// Change from the baseline to the candidate.
struct OverviewChange {
    Compared window;  // of the runs
    Compared median_step;  // of all steps of all ranks
    core::StepStatistics step;  // statistical test of the step times
    bool per_step = false;  // parts are of the average step, else of the ranks' windows
    Compared whole;  // sum of the parts
    std::array<Compared, kBreakdownParts.size()> parts;
    std::optional<std::size_t> part_changed_most;  // in the direction of the whole's change
    std::optional<PairedRankStep> rank_changed_most;  // if its change exceeds that of all by 10 %
    std::vector<PairedEnvironment> environment;  // lines that differ
    std::size_t same_environment = 0;  // number of equal lines
    std::vector<std::string> notes;

    bool has_steps() const { return !step.step.values.baseline.empty() && !step.step.values.candidate.empty(); }
    // The median step, else the sum of the parts.
    const Compared& headline() const { return median_step.known() ? median_step : whole; }
};

struct OverviewModel {
    core::BySide<std::optional<RunOverview>> sides;  // absent without a run
    std::optional<OverviewChange> change;  // only with two runs

    struct Source {  // one run and its answers
        core::RunPtr run;  // null: no run on that side
        core::Filter filter;  // filter of the answers
        const core::Table* breakdown = nullptr;
        const core::Table* steps = nullptr;
        const core::Table* stragglers = nullptr;
        const core::Table* findings = nullptr;
    };
    static OverviewModel of(const core::BySide<Source>&, const core::RunAlignment&,
                            const core::StatisticsOptions& statistics = {});
};

}  // namespace ui
