#pragma once
// One row about a run, for lists of many: step, waiting, transfer, utilisation, who is waited for, what to do first.
// Every number is that of the analysis which the column names.

#include "core/diff/align/devices.hpp"
#include "core/diff/series/run_series.hpp"

namespace core {

struct FleetRun {
    std::string name;
    std::int64_t start_ns = 0;     // of its earliest event, on the clock of its traces
    Program program;               // and how many ranks were read
    std::size_t steps = 0;         // that count
    std::optional<double> step_ns; // median of its steps on the slowest rank
    std::optional<std::int64_t> exposed_wait;      // per rank and step, mean
    std::optional<std::int64_t> exposed_transfer;
    std::optional<double> mfu;     // mean over ranks and steps
    std::string culprit;           // "rank 2": the first that is flagged; empty: nobody is
    std::optional<std::int64_t> culprit_wait;      // waits rooted in it
    std::string finding;           // what-to-do's first row that saves anything
    std::optional<std::int64_t> saved;             // by it, per step
    std::string failed;            // why the run could not be read; all else is absent then
};

Result<FleetRun> measure_fleet_run(const Run&, const Filter&, std::int64_t warmup, unsigned threads, const JobContext&);
// By start, those that failed last; change is against the last run before that has steps and is of the same program
// (find_other_program). O(runs * programs).
Table fleet_table(std::vector<FleetRun>);

}  // namespace core
