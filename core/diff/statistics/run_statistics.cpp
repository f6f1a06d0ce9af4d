#include "core/diff/statistics/run_statistics.hpp"

#include "core/analysis/engine/lost_ranks.hpp"
#include "core/diff/join/row_samples.hpp"
#include "core/stats/multiple_tests.hpp"
#include "core/stats/sums.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace core {
namespace {

constexpr double kHighPercentile = 0.95;

// Values of steps with equal numbers, in the baseline's order.
BySide<std::vector<double>> paired_values(const BySide<const StepSample*>& samples) {
    std::map<std::int64_t, std::int64_t> partners;
    for (const StepValue& step : samples.candidate->steps) partners.emplace(step.number, step.ns);
    BySide<std::vector<double>> values;
    for (const StepValue& step : samples.baseline->steps) {
        const auto it = partners.find(step.number);
        if (it == partners.end()) continue;
        values.baseline.push_back(static_cast<double>(step.ns));
        values.candidate.push_back(static_cast<double>(it->second));
    }
    return values;
}

std::optional<double> within_runs(const std::vector<StepSample>& runs) {
    stats::CompensatedSum sum;
    std::size_t known = 0;
    for (const StepSample& run : runs) {
        const stats::Moments moments = stats::measure(run.values());
        if (moments.n < 2) continue;
        sum.add(moments.variance / static_cast<double>(moments.n));
        ++known;
    }
    if (known == 0) return std::nullopt;
    return std::sqrt(sum.value() / static_cast<double>(known));
}

std::vector<PermutedStatistic> permute_statistics(const BySide<std::vector<double>>& values) {
    std::vector<PermutedStatistic> permuted;
    if (std::min(values.baseline.size(), values.candidate.size()) < stats::kLeastValues) return permuted;
    const auto add = [&](std::string_view name, const stats::Statistic& statistic) {
        permuted.push_back({.name = name,
                            .ns = {statistic(values.baseline), statistic(values.candidate)},
                            .test = stats::permutation_test(values.baseline, values.candidate, statistic)});
    };
    add("mean", [](std::span<const double> v) { return stats::sum_of(v) / static_cast<double>(v.size()); });
    add("median", stats::median);
    add("p95", [](std::span<const double> v) { return stats::nearest_rank(v, kHighPercentile); });
    return permuted;
}

// The rows of one run, summed into the rows of the comparison.
struct RunRows {
    RowSamples samples;
    std::size_t steps = 0;

    // One value per step; empty if none of the rows occurs.
    std::vector<double> values_of(const std::vector<std::size_t>& rows) const {
        std::vector<double> values;
        for (const std::size_t row : rows) {
            if (samples.ns[row].empty()) continue;
            values.resize(steps);
            for (std::size_t step = 0; step < steps; ++step)
                values[step] += static_cast<double>(samples.ns[row][step]) / static_cast<double>(samples.ranks);
        }
        return values;
    }
    double calls_per_step(const std::vector<std::size_t>& rows) const {
        double calls = 0;
        for (const std::size_t row : rows) calls += static_cast<double>(samples.calls[row]);
        return steps == 0 ? 0 : calls / static_cast<double>(steps) / static_cast<double>(samples.ranks);
    }
};

Result<std::vector<RunRows>> collect_runs(const Analysis& analysis, const Table& table,
                                          const std::vector<SampledRun>& runs, const JobContext& context) {
    std::vector<RunRows> collected;
    for (const SampledRun& run : runs) {
        Result<RowSamples> rows = collect_row_samples(analysis, table, *run.run, run.filter, run.sample, context);
        if (!rows) return std::move(rows).error();
        collected.push_back({*std::move(rows), run.sample.steps.size()});
        if (!collected.back().samples.absent.empty()) return collected;
    }
    return collected;
}

std::vector<double> side_values(const std::vector<RunRows>& runs, const std::vector<std::size_t>& rows) {
    if (runs.size() == 1) return runs.front().values_of(rows);
    std::vector<double> values;
    bool any = false;
    for (const RunRows& run : runs) {
        const std::vector<double> steps = run.values_of(rows);
        any |= !steps.empty();
        values.push_back(stats::measure(steps).mean);
    }
    if (!any) values.clear();
    return values;
}

// Nanoseconds below which the clocks of the files tell nothing, for this row.
double grain_of(const std::vector<RunRows>& runs, const std::vector<std::size_t>& rows) {
    double most = 0;
    for (const RunRows& run : runs)
        most = std::max(most, static_cast<double>(run.samples.grain_ns) * run.calls_per_step(rows));
    return most;
}

// Sums over a rank that lost records say nothing of what changed.
bool takes_lost_ranks(const SampledRun& sampled) {
    return std::ranges::any_of(lost_ranks_of(*sampled.run)->ranks, [&](const LostRank& lost) {
        return sampled.filter.accepts_rank(sampled.run->rank(lost.slot).key);
    });
}

}  // namespace

Tested test_values(BySide<std::vector<double>> values, const StatisticsOptions& options, bool paired,
                   double least_tolerance_ns) {
    Tested tested;
    tested.values = std::move(values);
    const auto compare = paired ? stats::compare_pairs : stats::compare_samples;
    tested.samples = compare(tested.values.baseline, tested.values.candidate);
    tested.tolerance_ns = std::max(options.least_change() * std::abs(tested.samples.baseline.mean), least_tolerance_ns);
    tested.judgement = tested.strict = stats::judge(tested.samples, tested.tolerance_ns);
    return tested;
}

std::size_t adjust_family(std::vector<std::optional<Tested>>& rows) {
    std::vector<double> p;
    const auto counts = [](const std::optional<Tested>& row) {
        return row && !row->only && row->least_n() >= stats::kLeastValues;
    };
    for (const std::optional<Tested>& row : rows)
        if (counts(row)) p.push_back(row->samples.welch->p);
    const std::vector<double> q = stats::adjust_benjamini_hochberg(p), holm = stats::adjust_holm(p);
    std::size_t at = 0;
    for (std::optional<Tested>& row : rows) {
        if (!counts(row)) continue;
        row->family = p.size();
        row->q = q[at];
        row->holm = holm[at];
        row->judgement = stats::judge_row(row->samples, row->tolerance_ns, q[at]);
        row->strict = stats::judge_row(row->samples, row->tolerance_ns, holm[at]);
        ++at;
    }
    return p.size();
}

SampledRuns sample_runs(const BySide<const Run*>& runs, const BySide<Filter>& filters,
                        const StatisticsOptions& options) {
    SampledRuns sampled;
    for (const Side side : kSides)
        sampled[side].push_back(
            {runs[side], filters[side], collect_step_sample(*runs[side], filters[side], options.warmup)});
    return sampled;
}

std::vector<SampledRun> sample_captures(const Run& run, const Filter& filter, const StatisticsOptions& options) {
    std::set<std::int32_t> captures;
    for (const RankSlot& rank : run.ranks())
        if (filter.accepts_rank(rank.key)) captures.insert(rank.key.capture);
    std::vector<SampledRun> sampled;
    if (captures.size() < 2) {
        sampled.push_back({.run = &run, .filter = filter, .sample = collect_step_sample(run, filter, options.warmup)});
        return sampled;
    }
    for (const std::int32_t capture : captures) {
        Filter one = filter;
        one.terms.push_back({false, CaptureTerm{{capture}}});
        StepSample sample = collect_step_sample(run, one, options.warmup);
        sampled.push_back({.run = &run, .filter = std::move(one), .sample = std::move(sample)});
    }
    return sampled;
}

StepStatistics compare_steps_of(const SampledRuns& runs, const StatisticsOptions& options) {
    StepStatistics result;
    result.options = options;
    result.of_runs = runs.baseline.size() > 1 || runs.candidate.size() > 1;
    for (const Side side : kSides)
        for (const SampledRun& run : runs[side]) result.samples[side].push_back(run.sample);
    BySide<std::vector<double>> values;
    bool paired = false;
    if (result.of_runs) {
        for (const Side side : kSides) {
            for (const StepSample& run : result.samples[side])
                if (!run.steps.empty()) values[side].push_back(stats::median(run.values()));
            result.within_ns[side] = within_runs(result.samples[side]);
            if (values[side].size() > 1) result.between_ns[side] = std::sqrt(stats::measure(values[side]).variance);
        }
    } else if (options.paired) {
        paired = true;
        values = paired_values({&result.samples.baseline.front(), &result.samples.candidate.front()});
    } else {
        for (const Side side : kSides) values[side] = result.samples[side].front().values();
    }
    const bool may_end_together = options.compares == Compares::Ranks && !result.of_runs;
    const double least_tolerance = may_end_together ? kEndTogether * std::abs(stats::measure(values.baseline).mean) : 0;
    result.step = test_values(std::move(values), options, paired, least_tolerance);
    result.step.between = result.of_runs ? std::nullopt : std::optional(options.compares);
    if (options.permutation && !paired) result.permuted = permute_statistics(result.step.values);
    return result;
}

Result<RunStatistics> compare_statistics(const DiffQuery& query, const RunComparison& result, const SampledRuns& runs,
                                         const StatisticsOptions& options, const JobContext& context) {
    RunStatistics statistics{compare_steps_of(runs, options), {}};
    statistics.rows.absent = "the rows of this table are not sampled per step";
    if (!query.table.empty() || !query.analysis->rank) return statistics;
    const Result<const Analysis*> analysis = analysis_with_names(*query.analysis, query.names);
    if (!analysis) return analysis.error();
    if (sampled_measure(**analysis).empty()) return statistics;
    const BySide<const Table*> tables{&result.answers.baseline.main(), &result.answers.candidate.main()};
    Result<RowStatistics> rows = compare_rows(**analysis, tables, result.comparison, runs, options, context);
    if (!rows) return std::move(rows).error();
    statistics.rows = *std::move(rows);
    return statistics;
}

Result<RowStatistics> compare_rows(const Analysis& analysis, const BySide<const Table*>& tables,
                                   const Comparison& comparison, const SampledRuns& runs,
                                   const StatisticsOptions& options, const JobContext& context) {
    RowStatistics result;
    result.measure = sampled_measure(analysis);
    result.compares = options.compares;
    result.of_runs = runs.baseline.size() > 1 || runs.candidate.size() > 1;
    BySide<std::vector<RunRows>> collected;
    for (const Side side : kSides) {
        if (std::ranges::any_of(runs[side], takes_lost_ranks)) {
            result.absent = "records of the " + std::string(name_of(side)) + " are missing";
            return result;
        }
        Result<std::vector<RunRows>> of_side = collect_runs(analysis, *tables[side], runs[side], context);
        if (!of_side) return std::move(of_side).error().within(name_of(side));
        collected[side] = *std::move(of_side);
        result.absent = collected[side].back().samples.absent;
        if (!result.absent.empty()) return result;
    }
    for (std::size_t row = 0; row < comparison.sources.size(); ++row) {
        if (context.cancelled()) return cancelled_error();
        const BySide<std::vector<std::size_t>>& sources = comparison.sources[row];
        BySide<std::vector<double>> values;
        for (const Side side : kSides) values[side] = side_values(collected[side], sources[side]);
        if (values.baseline.empty() || values.candidate.empty()) {
            result.rows.emplace_back();
            continue;
        }
        const double grain =
            std::max(grain_of(collected.baseline, sources.baseline), grain_of(collected.candidate, sources.candidate));
        result.rows.emplace_back(test_values(std::move(values), options, false, grain));
        result.rows.back()->between = result.of_runs ? std::nullopt : std::optional(options.compares);
    }
    result.family = adjust_family(result.rows);
    return result;
}

}  // namespace core
