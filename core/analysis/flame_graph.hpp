#pragma once
// The call trees of CPU events, merged: one frame for all calls with the same path of names, on all ranks, threads and
// steps that the filter takes. Asked for like any analysis, through the session's cache; it is in no table of analyses.
//
// A frame is on the path of every event of the kind, whether it passes the filter or not; only events that pass are
// counted: a moment in which several of them run belongs to the innermost. So children and self add up to the total,
// and a filter by name shows the ways to that name. A child is cut at its parent's end, all at the filter's time.

#include "core/analysis/engine/analysis.hpp"

namespace core {

// The values of its one parameter: which events are frames. Annotations have the operators in them beneath.
enum class FlameKind : std::uint8_t { Operators, Python, Annotations };

// One row per frame, the root (all there is) first, each before its children: those with the greatest total first.
const Analysis& flame_graph();

namespace flame_column {
enum At : std::size_t { kDepth, kName, kTotal, kSelf, kCalls, kKernels, kKernelTime, kSelfKernelTime, kFrames };
}

// Stands for frames of one parent that are too narrow to be kept, with all beneath them.
inline constexpr std::string_view kOtherFrames = "(others)";
// One frame for the marks of all steps.
inline constexpr std::string_view kStepFrame = "ProfilerStep";
inline constexpr std::uint32_t kMostFlameDepth = 512;
// A frame is kept that has this part of all the time or of all the kernel time.
inline constexpr std::int64_t kFlameParts = 20'000;
inline constexpr std::int64_t kRankFlameParts = 5 * kFlameParts;  // of its rank's

// Whether any rank that the filter takes has an event that is a frame. O(categories).
bool has_frames(const Run&, const Filter&, FlameKind);

}  // namespace core
