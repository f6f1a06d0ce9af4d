#pragma once
// What-ifs of a pipeline's timeline (schedule.hpp), in the rows of the analysis what-if. Internal to
// core/analysis/whatif.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/parallelism/schedule.hpp"

namespace core {

struct PoolOver {
    bool stages = false;
    bool steps = false;
};

inline constexpr std::string_view kStagesOverlap =
    "Stages compute two things at once, as where one timeline holds several jobs.";

// Parameters of what-if that change a schedule.
struct ScheduleScales {  // percent
    std::int64_t compute = 100;
    std::int64_t communication = 100;
    bool launch_gaps = true;
    bool no_stragglers = false;
    bool balanced = false;  // stages
    bool keeps_gaps() const { return launch_gaps && !balanced; }
    bool operator==(const ScheduleScales&) const = default;
};
// BadInput: a parameter of kernels is changed.
Result<ScheduleScales> schedule_scales_of(const Params&);
PoolOver pool_over_of(const Params&);

// The row `given` of what-if alone, with the change in words; with nothing changed it is as recorded.
struct ScheduleReplay {
    std::string change;
    std::int64_t recorded = 0;  // ns, mean of the steps
    std::int64_t step_time = 0;  // ns, replayed
};
Result<ScheduleReplay> replay_given_schedule(const Schedule&, PoolOver, const ScheduleScales&, const JobContext&);

std::vector<Column> stage_columns();
// Adds the rows to the answer's main table and the tables `stages` and `graph`.
Result<bool> add_schedule_rows(const Run&, const Schedule&, PoolOver, const ScheduleScales&, Answer&,
                               const JobContext&);

}  // namespace core
