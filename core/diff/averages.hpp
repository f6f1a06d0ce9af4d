#pragma once
// By what sums are divided before two runs are compared: nothing where both have as many steps (and ranks,
// for tables that add ranks up), else the number of each, so that a longer run does not look slower.
// Steps are those that the filter takes and that reach into its time range. Where rank is a key, each rank's
// own number counts.

#include "core/diff/align_runs.hpp"

#include <map>
#include <string>

namespace core {

struct Column;

// A sum becomes sum × times / by, rounded half up where it is an integer.
struct Divisor {
    std::int64_t times = 1;
    std::int64_t by = 1;
};

struct Averages {
    bool used = false;
    std::string note;                                   // what was done, or why it could not be; may be empty
    BySide<Divisor> of_run;                             // for tables without a rank key
    BySide<std::map<std::int64_t, Divisor>> of_rank;    // by the side's own rank cell; a rank without steps has none
};

// `filters` are those that each side was asked with.
Averages choose_averages(std::span<const Column> columns, const BySide<const Run*>& runs, const BySide<Filter>& filters,
                         const RunAlignment&);

}  // namespace core
