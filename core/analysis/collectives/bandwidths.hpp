#pragma once
// Sizes and bandwidths of collectives as nccl-tests defines them.

#include "core/collectives/waits.hpp"

namespace core {

struct BusBandwidth {
    std::optional<std::int64_t> bytes;      // S
    std::optional<double> algorithm;        // bytes per second
    std::optional<double> bus;
    std::optional<std::int64_t> members;    // n
};

// Absent where sizes are unknown or nothing was transferred.
BusBandwidth bandwidth_of(const Waits&, std::uint32_t collective);
// Bus factor of an operation in a group of n; 1 for operations of pairs.
double bus_factor(Operation, std::int64_t n);
// S of a collective; absent if no member's bytes are known.
std::optional<std::int64_t> size_of(const MatchedRun&, const Collective&);
// Group size, else known members, else the world size if so many matched; absent otherwise.
std::optional<std::int64_t> members_in_group(const MatchedRun&, const Collective&);

}  // namespace core
