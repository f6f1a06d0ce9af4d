#pragma once
// The stages of pipelines, by who sends to whom, and what the stages compute: more than the others, and how much of a
// step filling and draining takes. Definitions: docs/definitions.md, findings.

#include "core/analysis/whatif/change.hpp"

namespace core {

inline constexpr std::uint32_t kNoStage = 0;

// By slot. A pipeline is a chain or ring of ranks that send to one another; ranks that exchange with more than two
// others, or on an axis known to be another, are none.
struct PipelineStages {
    std::vector<std::uint32_t> stage;  // from 1; kNoStage: in no pipeline
    std::vector<std::uint32_t> stages;  // of its pipeline; 0: none
    std::vector<std::uint32_t> pipeline;  // its number, from 1; 0: none
};
// O(collectives + ranks log ranks).
PipelineStages find_pipeline_stages(const MatchedRun&);

// Compute of the stages, if the ranks of a graph form pipelines of one length.
struct StageWork {
    std::uint32_t stages = 0;  // 0: no pipeline
    std::vector<std::int64_t> work;  // ns of compute of a rank of each stage in the window, from stage 1 on
    std::vector<std::uint32_t> of_part;  // stage, from 1
    std::int64_t microbatches = 0;  // per step; 0: unknown
    double bubble = 0;  // mean share of the window in which a rank doesn't compute

    std::int64_t mean() const;
    std::size_t longest() const;  // index into work
    double theory() const;  // (p - 1) / (m + p - 1); 0 where unknown
};
// left_out: by part, ranks that are no measure of their stage as they are slower than its others; if all of a stage
// are, they count. O(edges).
StageWork measure_stages(const Run&, const Waits&, const RunGraph&, const std::vector<bool>& left_out,
                         std::int64_t steps);

// By edge: compute of every stage as long as the mean of the stages.
std::vector<float> balance_stages(const RunGraph&, const StageWork&);

}  // namespace core
