#pragma once
// The graph of one step of a pipeline's schedule: what each operation waits for, by types and numbers. Internal to
// schedules of timelines and of kernels.

#include "core/analysis/parallelism/schedule.hpp"

#include <array>
#include <string_view>

namespace core {

namespace schedule_types {
inline constexpr std::string_view kForward = "forward-compute", kBackward = "backward-compute";
inline constexpr std::array<std::string_view, 4> kPairwise = {"forward-send", "forward-recv", "backward-send",
                                                              "backward-recv"};
inline constexpr std::array<std::string_view, 3> kOfReplicas = {"params-all-gather", "grads-reduce-scatter",
                                                                "separate-grads-all-reduce"};
inline constexpr std::string_view kLayerNorm = "layernorm-grads-all-reduce", kEmbedding = "embedding-grads-all-reduce",
                                  kClip = "optimizer-clip-main-grad", kOptimizer = "optimizer", kCollect = "gc";
// Kernels in no forward and no backward.
inline constexpr std::string_view kOtherKernels = "other kernels", kCollectivePrefix = "collective ";
}  // namespace schedule_types

// Operations [first, last) are of one step and sorted by (dp, stage, type, begin). Sets what they join and their
// transfers. Fails if cancelled.
Result<ScheduleStep> build_schedule_step(Schedule&, std::size_t first, std::size_t last, const JobContext&);
// The same of all steps: operations sorted by (step, dp, stage, type, begin, sequence).
Result<bool> build_schedule_steps(Schedule&, const JobContext&);
void sort_schedule(Schedule&);
// Counts stages and replicas, and finds the stages that overlap.
void measure_schedule(Schedule&);

}  // namespace core
