#pragma once
// Texts in the tables of `step-parts`, for readers of these tables.

#include <cstdint>
#include <string_view>

namespace core::step_parts {

inline constexpr std::string_view kCompute = "compute";  // the only part with an operator and a kernel
inline constexpr std::string_view kExposedCommunication = "exposed_communication";
inline constexpr std::string_view kExposedMemory = "exposed_memory";
inline constexpr std::string_view kIdle = "idle";
inline constexpr std::string_view kNotRecorded = "not_recorded";

// Values of the parameter `window`.
inline constexpr std::int64_t kWindowOfGpu = 0;
inline constexpr std::int64_t kWindowOfSteps = 1;

}  // namespace core::step_parts
