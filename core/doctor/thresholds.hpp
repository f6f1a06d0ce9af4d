#pragma once
// From where on the doctor speaks. Below, it is what profilers do on every run.

#include "core/base/units.hpp"

#include <cstddef>

namespace core::doctor {

// Older writers round starts and durations to whole microseconds, each on its own.
inline constexpr Duration kJitter{2'000};
// Launched before the window opened: one iteration's queue at most, usually. More is worth a word, as no step has it.
inline constexpr double kManyBeforeWindow = 0.05;
// Missing among linked ones: profilers lose records when a buffer runs full, never a few per thousand on purpose.
inline constexpr double kManyLost = 0.002;
// A rank with fewer is a hand-made or tiny trace, where one event is a large share.
inline constexpr std::size_t kFewEvents = 3;
// GPU and CPU clocks are converted with an error of some microseconds; delays shorter than that are noise.
inline constexpr Duration kClockError{50'000};
inline constexpr double kManyBeforeLaunch = 0.01;
// Kernels launched with programmatic dependent launch and branches of a graph overlap by a little on their stream.
inline constexpr double kManyOverlapping = 0.01;
inline constexpr double kManyOfNoLength = 0.01;
// Share of CPU events: rounding makes children outlive parents, and annotations may open and close out of order.
inline constexpr double kManyCut = 0.02;
// Arrows whose other end lies before or after the window.
inline constexpr double kManyFlows = 0.05;
// The longest that work on a GPU takes: collectives that hang are ended by a time-out of ten minutes.
inline constexpr Duration kLongestGpuEvent = std::chrono::minutes{15};
inline constexpr Duration kLongestEvent = std::chrono::hours{24};
// Ranks start and stop their profilers a little apart.
inline constexpr double kLeastOverlap = 0.9;
// Ranks leave a collective within some tens of microseconds; clocks of hosts in good order agree within a millisecond.
inline constexpr Duration kClockSpread{1'000'000};
// Least offset of a rank, as a multiple of the noise it is measured with.
inline constexpr int kClockNoise = 4;
inline constexpr std::size_t kLeastCollectives = 4;  // of one rank, to say anything of its clock

}  // namespace core::doctor
