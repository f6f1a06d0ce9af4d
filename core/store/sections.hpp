#pragma once
// Section numbers of index files: the blob of a RankTrace and what core/index and core/ingest add
// to it. Only add numbers; a section whose meaning changes gets a new one.

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
    kFirstLinked,  // by track: RankTrace::step_of
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
    kMemberEvents,
    kMemberGroups,
    kFacts = 200,  // RankInfo and Diagnostics
    kMetadata,
    kSummaryFacts = 300,  // core/index/summary_rank: ranks of a run summary only
    kSummaryCategories,
    kSummaryAnswers,
    kSummaryRun,
    kSummaryHidden,
    kArgEvents = 1000,  // + Arg
    kArgValues = 2000,  // + Arg; int64 or NameId by its type
};

// True for the sections that make up a RankTrace.
constexpr bool is_of_trace(std::uint32_t id) { return id < kClasses || (id >= kArgEvents && id < 3000); }

constexpr std::uint32_t arg_events(Arg arg) { return kArgEvents + static_cast<std::uint32_t>(arg); }
constexpr std::uint32_t arg_values(Arg arg) { return kArgValues + static_cast<std::uint32_t>(arg); }

}  // namespace core::section
