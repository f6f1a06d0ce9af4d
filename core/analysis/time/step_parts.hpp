#pragma once
// Texts in the tables of `step-parts`, for readers of these tables, and how they split the time of kernels.

#include "core/analysis/engine/analysis.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace core::step_parts {

inline constexpr std::string_view kCompute = "compute";  // the only part with an operator and a kernel
inline constexpr std::string_view kExposedCommunication = "exposed_communication";
inline constexpr std::string_view kExposedMemory = "exposed_memory";
inline constexpr std::string_view kIdle = "idle";
inline constexpr std::string_view kNotRecorded = "not_recorded";

// Values of the parameter `window`.
inline constexpr std::int64_t kWindowOfGpu = 0;
inline constexpr std::int64_t kWindowOfSteps = 1;

// The exclusive time of a compute kernel: no earlier-started one runs.
struct Stretch {
    RankRange range;
    EventId kernel;
};
// Disjoint and sorted; together they cover exactly the time with a compute kernel, whatever names are chosen.
std::vector<Stretch> collect_stretches(const RankView&, const Selection&);

}  // namespace core::step_parts
