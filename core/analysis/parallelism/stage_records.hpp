#pragma once
// Rows of the partials of `pipeline`, in ns; moments count from the start of the run. Internal to this folder.

#include "core/analysis/engine/record_table.hpp"

namespace core {

struct StepOfStage {
    std::uint32_t slot = 0;
    std::int64_t step = 0;
    std::int64_t begin = 0, duration = 0;
    std::int64_t busy = 0;  // a compute kernel runs
    std::int64_t idle = 0;  // no GPU event runs
};
template <>
inline constexpr auto kFields<StepOfStage> = std::tuple{
    field("slot", &StepOfStage::slot),         field("step", &StepOfStage::step), field("begin", &StepOfStage::begin),
    field("duration", &StepOfStage::duration), field("busy", &StepOfStage::busy), field("idle", &StepOfStage::idle)};

// Compute of one pass without a message of a pipeline between its kernels.
struct StretchOfStage {
    std::uint32_t slot = 0;
    std::int64_t step = 0;
    std::int64_t begin = 0, duration = 0;
    bool is_backward = false;
};
template <>
inline constexpr auto kFields<StretchOfStage> = std::tuple{
    field("slot", &StretchOfStage::slot), field("step", &StretchOfStage::step), field("begin", &StretchOfStage::begin),
    field("duration", &StretchOfStage::duration), field("is_backward", &StretchOfStage::is_backward)};

}  // namespace core
