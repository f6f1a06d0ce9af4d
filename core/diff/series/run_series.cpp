#include "core/diff/series/run_series.hpp"

#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/stats/moments.hpp"

#include <algorithm>
#include <cmath>

namespace core {

SeriesRun measure_run(const Run& run, const Filter& filter, std::int64_t warmup) {
    SeriesRun measured{.name = run.name(), .start_ns = ns_of(run.origin()), .ns = {}, .steps = 0};
    const StepSample sample = collect_step_sample(run, filter, warmup);
    measured.steps = sample.steps.size();
    if (!sample.steps.empty()) measured.ns = stats::median(sample.values());
    return measured;
}

RunSeries analyse_series(std::vector<SeriesRun> runs) {
    RunSeries series;
    std::ranges::stable_sort(runs, {}, &SeriesRun::start_ns);
    series.runs = std::move(runs);
    std::vector<double> values;
    for (std::size_t i = 0; i < series.runs.size(); ++i) {
        if (!series.runs[i].ns) continue;
        series.with_values.push_back(i);
        values.push_back(*series.runs[i].ns);
    }
    series.points = stats::find_change_points(values);
    series.latest = stats::judge_latest(values);
    return series;
}

std::string describe_latest(const RunSeries& series) {
    if (series.with_values.empty()) return "no run has steps";
    const SeriesRun& last = series.runs[series.with_values.back()];
    const auto time = [](double ns) { return format_duration(Duration{std::llround(ns)}); };
    const std::string text = "latest run " + last.name + ": " + time(*last.ns);
    if (!series.latest) return text + "; too few runs before it to judge (3 of its level are needed)";
    const stats::Latest& latest = *series.latest;
    const std::string_view word = !latest.is_outside        ? ", within its level of "
                                  : *last.ns > latest.level ? ", slower than its level of "
                                                            : ", faster than its level of ";
    return text + std::string(word) + time(latest.level) + " (99 % " + describe_interval(latest.expected) + ", n " +
           std::to_string(latest.n) + ")";
}

}  // namespace core
