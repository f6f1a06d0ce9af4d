#pragma once
// Divisors of sums before comparing two runs: none if both have equally many steps (and ranks, for
// tables that sum over ranks), else the count of each, so a longer run doesn't look slower. Counts
// the steps that pass the filter and overlap its time range. With a rank key, each rank has its own
// count.

#include "core/diff/align/align_runs.hpp"

#include <map>
#include <string>

namespace core {

struct Column;

// Replaces a sum by sum × times / by; integers round half up.
struct Divisor {
    std::int64_t times = 1;
    std::int64_t by = 1;
};

struct Averages {
    bool used = false;
    std::string note;                                   // what was averaged, or why not; may be empty
    BySide<Divisor> of_run;                             // tables without a rank key
    BySide<std::map<std::int64_t, Divisor>> of_rank;  // by the side's own rank cell; absent for ranks without steps
};

// `filters`: those each side was queried with.
Averages choose_averages(std::span<const Column> columns, const BySide<const Run*>& runs, const BySide<Filter>& filters,
                         const RunAlignment&);

}  // namespace core
