#pragma once
// Numbers of the sections of index files: what a RankTrace's blob is made of, and what core/index and core/ingest add
// to it. Never renumber, only add; a section whose meaning changes gets a new number.

#include "core/store/arguments.hpp"

namespace core::section {

enum Id : std::uint32_t {
    kStart = 1,
    kDuration,
    kName,
    kCategory,
    kFlags,
    kParent,
    kOrder,
    kProcesses = 20,
    kTracks,
    kLanes,
    kCategories,
    kSteps,
    kGpuEvents,
    kFlows,
    kCounters,
    kCounterTimes,
    kCounterValues,
    kLaunchCalls = 40,
    kLaunchFirst,
    kLaunchGpu,
    kNameOffsets = 50,
    kNameBytes,
    kTextBlocks = 60,
    kTextPacked,
    kEndOrderEvents,
    kEndOrders,
    kClasses = 100,  // core/index
    kTreeStarts,
    kTreeEnds,
    kPartitionRange,
    kPartitionBegins,
    kPartitionSets,
    kPartitionCheckpoints,
    kPyramidLanes,
    kPyramidBlocks,
    kPyramidBuckets,
    kCounterRanges,
    kFacts = 200,  // RankInfo and Diagnostics
    kMetadata,
    kArgEvents = 1000,  // + Arg
    kArgValues = 2000,  // + Arg; int64 or NameId by its type
};

// Whether a RankTrace is made of it.
constexpr bool is_of_trace(std::uint32_t id) { return id < kClasses || (id >= kArgEvents && id < 3000); }

constexpr std::uint32_t arg_events(Arg arg) { return kArgEvents + static_cast<std::uint32_t>(arg); }
constexpr std::uint32_t arg_values(Arg arg) { return kArgValues + static_cast<std::uint32_t>(arg); }

}  // namespace core::section
