#pragma once
// Causes that hold a pipeline up, by the replay of its schedule: late ranks against the same stage of other replicas,
// and stages that compute longer than others. For runs whose recording does not show that compute waits for messages.

#include "core/analysis/parallelism/schedule.hpp"
#include "core/analysis/whatif/late_ranks.hpp"
#include "core/analysis/whatif/pipeline_stages.hpp"

#include <span>

namespace core {

struct PipelineSavings {
    LateRanks late;
    StageWork stages;
    std::int64_t saved_balanced = 0;  // ns of the length, by balanced stages once nobody is late; at least 0
    std::int64_t length = 0;  // ns, of all steps as recorded
};

// slots: of the parts that `suspects` count. O(operations) for each rank that is examined. Fails if cancelled.
Result<PipelineSavings> measure_pipeline_savings(const Schedule&, std::span<const std::uint32_t> slots, const Suspects&,
                                                 const JobContext&);

// Every stage computes as long as the stages do on average, by type, replica and step: the bubble that unequal stages
// make is gone.
std::vector<std::int64_t> balance_lengths(const Schedule&, std::vector<std::int64_t> lengths);

}  // namespace core
