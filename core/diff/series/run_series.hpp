#pragma once
// Runs over time, one value each: where the level steps, and whether the latest run is out of its level.

#include "core/diff/statistics/run_statistics.hpp"
#include "core/stats/change_points.hpp"

namespace core {

struct SeriesRun {
    std::string name;          // of the run
    std::int64_t start_ns = 0; // of its earliest event, on the clock of its traces
    std::optional<double> ns;  // median of its steps; nothing without steps
    std::size_t steps = 0;     // that count
};

struct RunSeries {
    std::vector<SeriesRun> runs;  // by start; equal ones as given
    std::vector<std::size_t> with_values;  // places in runs, which the indices of change points count
    std::vector<stats::ChangePoint> points;
    std::optional<stats::Latest> latest;
};

SeriesRun measure_run(const Run&, const Filter&, std::int64_t warmup);
// At most stats::kLongestSeries runs.
RunSeries analyse_series(std::vector<SeriesRun>);

// "latest run c: 174.6 ms, slower than its level of 151.7 ms (99 % 149.1 to 154.3 ms, n 5)"
std::string describe_latest(const RunSeries&);

}  // namespace core
