#pragma once
// What-ifs of a pipeline's timeline (schedule.hpp), in the rows of the analysis what-if. Internal to core/analysis/whatif.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/whatif/schedule.hpp"

namespace core {

struct PoolOver {
    bool stages = false;
    bool steps = false;
};

struct ScheduleScales {  // percent
    std::int64_t compute = 100;
    std::int64_t communication = 100;
    bool launch_gaps = true;
    bool no_stragglers = false;
    bool balanced = false;  // stages
};

// Adds the rows to the answer's main table and the tables `stages` and `graph`.
Result<bool> add_schedule_rows(const Run&, const Schedule&, PoolOver, const ScheduleScales&, Answer&,
                               const JobContext&);

}  // namespace core
