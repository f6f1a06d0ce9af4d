#pragma once
// Names of memory events, whichever file they came from.

#include "core/store/rank_trace.hpp"

#include <string_view>

namespace core {

inline constexpr std::string_view kMemoryEvent = "[memory]";  // instant: one allocation or free
inline constexpr std::string_view kMemoryByCategory =
    "memory by category (bytes)";  // counter with one series per category

// Instants of a memory snapshot besides: what the allocator asked of the device, and what lay where at the end.
inline constexpr std::string_view kMemorySnapshotTrace = "PyTorch memory snapshot";  // RankInfo::trace_name
inline constexpr std::string_view kSegmentAlloc = "segment_alloc", kSegmentFree = "segment_free",
                                  kSegmentMap = "segment_map", kSegmentUnmap = "segment_unmap",
                                  kOutOfMemory = "out of memory";
inline constexpr std::string_view kDeviceFree = "device free";  // bytes the device had left, an argument of these
inline constexpr std::string_view kSegmentAtEnd = "segment", kBlockAtEnd = "block";
// Categories of segments begin with one of these; then follows what holds of the segment, and the id of its pool.
inline constexpr std::string_view kSmallSegment = "small segment", kLargeSegment = "large segment";
inline constexpr std::string_view kExpandableSegment = ", expandable", kPrivatePool = ", private pool ";
inline constexpr std::string_view kBlockInUse = "in use", kBlockPending = "waiting to be freed", kBlockFree = "free";

inline bool is_memory_snapshot(const RankInfo& info) { return info.trace_name == kMemorySnapshotTrace; }

}  // namespace core
