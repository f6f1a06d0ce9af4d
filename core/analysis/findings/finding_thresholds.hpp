#pragma once
// From where on something is a finding, by kind. What `verdict` and `health` judge by, and what users can change, is in
// limits.hpp; the least that a replay has to save in core/analysis/whatif/late_ranks.hpp.

#include "core/base/units.hpp"

#include <cstddef>
#include <cstdint>

namespace core::thresholds {

// Percent of a rank's window.
inline constexpr int kExposedCommunication = 15;
inline constexpr int kExposedCopies = 15;
inline constexpr int kIdle = 10;
inline constexpr int kOverlappable = 10;  // low-overlap: compute, and communication
inline constexpr int kStarved = 10;  // unused-memory: host_wait
inline constexpr int kUncounted = 1;  // less matrix work does not matter
inline constexpr int kHighSeverity = 10;  // gain
inline constexpr int kMediumSeverity = 3;

// short-kernels: of at least so many launches, this percentage run shorter than their call of at most that long.
inline constexpr std::size_t kFewLaunches = 20;
inline constexpr std::size_t kShortKernels = 30;
inline constexpr Duration kLongestShortCall{50'000};
inline constexpr Duration kShortGap{30'000};  // as in device-idle
inline constexpr std::size_t kFewHostSyncs = 2;

inline constexpr std::size_t kFewMessages = 10;
inline constexpr std::int64_t kSmallMessageBytes = 256 * 1024;

inline constexpr double kSlowShare = 0.3;  // slow-matrix: of the roof
inline constexpr double kBadShapeShare = 0.5;  // bad-shapes: of the roof share of well-shaped products
inline constexpr double kTensorCoreTimes = 4;  // 16 bits are so many times as fast as fp32 where tensor cores do them

inline constexpr double kUnbalancedTimes = 1.1;  // unbalanced-kernels: of the mean of the other ranks

// few-microbatches
inline constexpr double kLeastBubble = 0.15;  // of the step
inline constexpr double kNearTheory = 0.35;  // the measured bubble may differ by this share of the theory's

inline constexpr std::size_t kMostEvents = 20;  // marked of one finding

}  // namespace core::thresholds
