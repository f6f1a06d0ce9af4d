#pragma once
// First questions about a run: is it whole, how long are steps and how much do they vary, where did the time go, which
// rank and step are worst. About two runs also: is the candidate slower, by how much, and where. From answers of
// temporal-breakdown, steps and stragglers (null: its numbers are left out). Durations in ns. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/diff/statistics/run_statistics.hpp"
#include "core/index/rank_count.hpp"
#include "core/index/run.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/model/charts/logged_series.hpp"
#include "ui/model/charts/spread.hpp"
#include "ui/model/panels/breakdown_model.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ui {

// One of the steps on one of the ranks.
struct StepTime {
    core::RankKey rank;
    std::int64_t step = 0;
    double duration = 0;
    core::RunRange range;
};

struct StepTimes {
    Spread all;                          // every step of every rank, ids are positions in `steps`
    Spread over_ranks;                   // of each rank the median of its steps; ids are RankKey::packed()
    Spread over_steps;                   // of each step the longest over the ranks; ids are step numbers
    std::vector<StepTime> slowest;       // per point of over_steps, where it took longest
    std::vector<std::int64_t> warm_up;   // steps at the beginning that are not steady yet: in none of the above
    std::size_t least_per_rank = 0;      // how many steps the ranks have, warm-up included
    std::size_t most_per_rank = 0;
};

// A part of the ranks' windows, and the rank at its bad end: least compute, most of the others.
struct TimePart {
    std::string_view id;                 // "compute": the column of temporal-breakdown
    std::string_view title;
    double time = 0;                     // over all ranks
    double share = 0;                    // of the sum of their windows
    bool least_is_worst = false;
    core::RankKey worst;
    double worst_share = 0;              // of that rank's window
    double median_share = 0;             // over the ranks, of their windows
    std::optional<double> waiting{};     // of share: waiting for a later rank; absent where nothing was matched
};

// The rank that the others wait for most, if it is a straggler (as in findings). Else the one whose median step time is
// longest, if that is 3 % over the median rank's. Else the one that idles most, if that is 5 % of the window more than
// the median rank: collectives make the steps of all ranks equally long. Else none: nothing stands out.
struct WorstRank {
    core::RankKey rank;
    bool by_step_time = false;
    double over = 0;  // step time: over the median rank's, 0.1 is 10 %
    double idle_share = 0;  // else: of its window
    std::int64_t waited_ns = 0;  // others for it; 0: not chosen by that
};

struct EnvironmentLine {
    std::string label;
    std::string value;
    std::size_t others = 0;  // values that differ between ranks are not listed
};

// What a run without GPU events is made of, and who tells of it.
struct WithoutGpu {
    std::string words;  // "CPU only", "memory snapshots: see memory-peak"; empty: no event at all
    std::string_view panel{};  // to show on a click; empty: none
    std::string_view analysis{};  // likewise
};

struct RunOverview {
    core::RankCount ranks;
    std::optional<core::RankCount> chosen;  // by the filter or as the part that is compared; unset: all
    std::optional<int> world_size;  // as the files say
    std::size_t damaged = 0;  // of the ranks: their files could be read in part only
    core::RunRange window;
    StepTimes steps;  // empty spreads: no steps
    std::vector<TimePart> parts;  // none without GPU events
    std::size_t ranks_with_parts = 0;
    std::optional<WorstRank> worst_rank;  // of two or more
    std::vector<EnvironmentLine> environment;  // devices first
    std::optional<LoggedSeries> logged;  // of a training log, over the whole job
    std::optional<WithoutGpu> without_gpu;  // unset: there are GPU events
    std::size_t losses = 0;  // kinds of diagnostics that changed or lost something

    static RunOverview of(const core::Run&, const core::Table* breakdown, const core::Table* steps,
                          const core::Table* stragglers = nullptr);
    // How much longer than the median, as a ratio: 0.1 is 10 %; 0 without a median.
    static double over_median(const Spread&, double value);
};

struct PairedRankStep {
    RankPair rank;
    Compared median_step;
};

struct PairedEnvironment {
    std::string label;
    core::BySide<std::string> values;  // empty: that side does not say
};

// From the baseline to the candidate.
struct OverviewChange {
    Compared window;  // of the runs
    Compared median_step;  // of all steps of all ranks
    core::StepStatistics step;  // statistics of the step times
    bool per_step = false;  // parts are of the average step, else of the ranks' windows
    Compared whole;  // sum of the parts
    std::array<Compared, kBreakdownParts.size()> parts;
    std::optional<std::size_t> part_changed_most;  // in the direction of the whole's change
    std::optional<PairedRankStep> rank_changed_most;  // by 10 % more than all
    std::vector<PairedEnvironment> environment;  // lines that differ
    std::size_t same_environment = 0;  // number of those that do not
    std::vector<std::string> notes;

    bool has_steps() const { return !step.step.values.baseline.empty() && !step.step.values.candidate.empty(); }
    // The median step, else the sum of the parts.
    const Compared& headline() const { return median_step.known() ? median_step : whole; }
};

struct OverviewModel {
    core::BySide<std::optional<RunOverview>> sides;  // absent like its run
    std::optional<OverviewChange> change;  // of two runs

    struct Source {  // one run and its answers
        core::RunPtr run;  // null: the side is absent
        core::Filter filter;  // as the answers were asked
        const core::Table* breakdown = nullptr;
        const core::Table* steps = nullptr;
        const core::Table* stragglers = nullptr;
    };
    static OverviewModel of(const core::BySide<Source>&, const core::RunAlignment&,
                            const core::StatisticsOptions& statistics = {});
};

}  // namespace ui
