#pragma once
// The schedule of a pipeline as a picture: per step a lane for each rank, sorted by stage, with its
// stretches of forward and backward compute and its receives. Computed from the answer of pipeline.
// No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

// After: follows the last backward stretch of the step, as the optimizer does.
enum class StretchKind : std::uint8_t { Forward, Backward, After };

struct PipelineStretch {
    double begin = 0, duration = 0;  // ns, from the step's begin
    StretchKind kind = StretchKind::Forward;
    std::size_t number = 0;  // place within its pass of the step, from 1; 0: stretches aren't microbatches
};

struct PipelineReceive {
    double begin = 0, duration = 0;  // ns, from the step's begin
    std::optional<std::int64_t> peer{};
    core::EventRef event{};
};

struct PipelineLane {
    core::RankKey rank;
    std::int64_t stage = 0;
    std::optional<double> bubble_share{}, theory{};
    std::optional<std::int64_t> microbatches{};
    std::vector<PipelineStretch> work{};
    std::vector<PipelineReceive> receives{};
};

struct PipelineStep {
    std::int64_t number = 0;
    double length = 0;  // ns drawn
    double begin = 0;   // ns, from the run's start
    std::vector<PipelineLane> lanes{};  // by stage, then rank
    std::optional<double> mean_bubble() const;  // over the lanes
};

struct PipelineModel {
    std::vector<PipelineStep> steps;  // by number
    static PipelineModel of(const core::Run&, const core::Answer& pipeline);
};

}  // namespace ui
