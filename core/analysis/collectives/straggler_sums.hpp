#pragma once
// Sums over the chosen collectives that count, per rank: what `stragglers`, the findings and the overview tell.

#include "core/analysis/collectives/chosen_members.hpp"

#include <map>

namespace core {

// When a rank is flagged.
struct StragglerLimits {
    std::int64_t floor = 1;    // percent of the window, for every other rank
    std::int64_t score = 350;  // hundredths of the robust score
};

// Ranks are compared with those of their capture. Captures that are windows of one job (are_windows) are compared
// together: a rank is all its windows, and they share score, flagged and persistent.
struct StragglerSums {
    std::int64_t collectives = 0;
    std::int64_t last = 0;        // with a skew above the error
    std::int64_t close = 0;       // last, with a lead below it
    std::int64_t incomplete = 0;  // set aside: members missing
    std::int64_t left_early = 0;  // set aside
    std::int64_t wait_caused = 0;
    std::int64_t wait_rooted = 0;
    std::int64_t own_wait = 0;
    std::int64_t gain = 0;        // sum of leads
    std::int64_t inherited = 0;   // over collectives it was last in
    std::int64_t own = 0;
    std::optional<double> score;
    bool flagged = false;
    std::optional<bool> persistent;
};

struct StragglerRun {
    std::vector<StragglerSums> ranks;   // as ChosenMembers::ranks
    std::int64_t wait = 0;              // of all ranks, chosen or not
    std::int64_t collectives = 0;       // that count
};

// A rank's rooted part of one collective's wait, in whole nanoseconds; together the wait.
struct RootedWait {
    std::uint32_t slot = 0;
    std::uint32_t root = 0;
    std::int64_t wait = 0;
};
std::vector<RootedWait> rooted_waits(const Waits&, std::uint32_t collective);

StragglerRun sum_stragglers(const ChosenMembers&, const StragglerLimits& = {});
// 0.6745 · (x − median) / MAD; with 1.2533 · the mean absolute deviation where MAD is 0; absent below 3 values, or
// where all are equal.
std::vector<std::optional<double>> robust_scores(const std::vector<double>& values);
// The cost from which a rank is flagged: `percent` of the longest window, or of one of `steps` equal parts of it, times
// the number of ranks that it is compared with. By position in ChosenMembers::ranks.
std::vector<std::int64_t> straggler_floors(const ChosenMembers&, std::int64_t percent, std::int64_t steps);

// Per step and rank; the step "none" (absent) takes collectives without a common step.
using StepKey = std::optional<std::int64_t>;
struct StepSums {
    std::int64_t wait_caused = 0;
    std::int64_t wait_rooted = 0;
    std::int64_t own_wait = 0;
    std::int64_t last = 0;
};
std::map<StepKey, std::map<std::uint32_t, StepSums>> sum_by_step(const ChosenMembers&);  // by slot

}  // namespace core
