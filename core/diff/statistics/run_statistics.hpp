#pragma once
// Statistics of two runs, or two sets of repeated runs, for the step and for every row of a table; docs/statistics.md
// has the definitions. With one run a side the values are its steps, and a verdict holds for these captures (or these
// ranks or steps of one run) only.

#include "core/diff/align/step_sample.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/diff/join/tested.hpp"
#include "core/stats/permutation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

struct SampledRun {
    const Run* run = nullptr;
    Filter filter;
    StepSample sample;
};
// The runs of a side; with several, each is a value.
using SampledRuns = BySide<std::vector<SampledRun>>;
SampledRuns sample_runs(const BySide<const Run*>&, const BySide<Filter>&, const StatisticsOptions&);

// Every capture of a run as a run of its own; the run itself if its ranks have one each.
std::vector<SampledRun> sample_captures(const Run&, const Filter&, const StatisticsOptions&);

// A statistic of the step's values, compared by reassigning these to the sides. It decides no verdict: a p alone does
// not.
struct PermutedStatistic {
    std::string_view name;  // "mean", "median", "p95"
    BySide<double> ns;
    stats::Permutation test;
};

// Share of the baseline's mean: ranks of one run whose steps differ by less end them together.
inline constexpr double kEndTogether = 0.02;

struct StepStatistics {
    StatisticsOptions options;
    bool of_runs = false;  // one value per run instead of per step
    BySide<std::vector<StepSample>> samples;  // of the runs
    Tested step;
    // With several runs: the standard error of a run's mean by its steps, and the standard deviation of the runs'
    // values.
    BySide<std::optional<double>> within_ns;
    BySide<std::optional<double>> between_ns;
    std::vector<PermutedStatistic> permuted;  // if asked for, from three values a side
    // The one of two ranks of a run that the others wait for, in words (add_waiting_rank); empty: neither or not asked.
    std::string waiting_rank;
};
StepStatistics compare_steps_of(const SampledRuns&, const StatisticsOptions&);

// Tests one measure alone; its tolerance is at least this.
Tested test_values(BySide<std::vector<double>> values, const StatisticsOptions&, bool paired,
                   double least_tolerance_ns);
// Adjusts p values and verdicts of rows that are tested together; returns their number. Rows with too few values on a
// side, or that one side alone has, do not count.
std::size_t adjust_family(std::vector<std::optional<Tested>>& rows);

struct RowStatistics {
    std::string measure;  // of the table
    std::vector<std::optional<Tested>> rows;  // by row of the comparison; nothing for rows of one side
    std::size_t family = 0;
    std::string absent;  // why no rows were tested
    bool of_runs = false;  // one value per run instead of per step
    Compares compares = Compares::Captures;  // for the words: what the sides are
};
// The comparison is of these tables, which are answers of the analysis.
Result<RowStatistics> compare_rows(const Analysis&, const BySide<const Table*>&, const Comparison&, const SampledRuns&,
                                   const StatisticsOptions&, const JobContext&);

struct RunStatistics {
    StepStatistics step;
    RowStatistics rows;
};
// Tests the rows of a comparison that compare_runs returned. Fails if cancelled.
Result<RunStatistics> compare_statistics(const DiffQuery&, const RunComparison&, const SampledRuns&,
                                         const StatisticsOptions&, const JobContext&);

}  // namespace core
