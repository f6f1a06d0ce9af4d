#pragma once
// Numbers of the sections a RankTrace's blob is made of. They go into index files: never renumber,
// only add.

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
    kArgEvents = 1000,  // + Arg
    kArgValues = 2000,  // + Arg; int64 or NameId by its type
};

constexpr std::uint32_t arg_events(Arg arg) { return kArgEvents + static_cast<std::uint32_t>(arg); }
constexpr std::uint32_t arg_values(Arg arg) { return kArgValues + static_cast<std::uint32_t>(arg); }

}  // namespace core::section
