#pragma once
// Merged call trees of CPU events: one frame for all calls with the same path of names, on all
// ranks, threads and steps of the filter. Requested like an analysis through the session's cache,
// but not in the registry.

#include "core/analysis/engine/analysis.hpp"

namespace core {

// Values of the parameter: which events are frames. Annotations contain their operators.
enum class FlameKind : std::uint8_t { Operators, Python, Annotations };

// Every event of the kind adds a frame to its path, whether it passes the filter or not, but only passing events count;
// time belongs to the innermost of them. So children and self add up to the total, and a filter by name shows the paths
// to that name. Children are cut at their parent's end, and everything at the filter's time.
// One row per frame in preorder, the root first; siblings by total, largest first.
const Analysis& flame_graph();

namespace flame_column {
enum At : std::size_t { kDepth, kName, kTotal, kSelf, kCalls, kKernels, kKernelTime, kSelfKernelTime, kFrames };
}

// Replaces frames of one parent that are too narrow to keep, with all their descendants.
inline constexpr std::string_view kOtherFrames = "(others)";
// One frame for all step marks.
inline constexpr std::string_view kStepFrame = "ProfilerStep";
inline constexpr std::uint32_t kMostFlameDepth = 512;
// Frames with at least 1 / this of the total or kernel time are kept.
inline constexpr std::int64_t kFlameParts = 20'000;
inline constexpr std::int64_t kRankFlameParts = 5 * kFlameParts;  // per rank

// True if any rank in the filter has an event that is a frame. O(categories).
bool has_frames(const Run&, const Filter&, FlameKind);

}  // namespace core
