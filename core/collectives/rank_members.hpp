#pragma once
// One rank as matching sees it: its member events with times on the recorded clock of the run, its groups as groups of
// the run. No events, no names.

#include "core/collectives/collective.hpp"

#include <algorithm>

namespace core {

struct RankMembers {
    std::int32_t rank = 0;
    std::span<const MemberEvent> events;
    std::vector<std::uint32_t> groups;      // of the run, by the rank's own number of a group
    std::vector<std::int64_t> steps;        // step numbers by the rank's own index
    std::int64_t shift = 0;                 // recorded run time − rank time
    std::int64_t work_begin = 0;            // first and last GPU event on the run's recorded clock
    std::int64_t work_end = 0;
    std::int64_t world_size = 0;            // 0: unknown

    std::int64_t start(std::uint32_t i) const { return moved(ns_of(events[i].start)); }
    std::int64_t end(std::uint32_t i) const { return moved(ns_of(events[i].start + events[i].duration)); }
    std::uint32_t group(std::uint32_t i) const { return events[i].group == kNoGroup ? 0 : groups[events[i].group]; }

    // Clamped far inside the range of 64 bits, so that differences of any two times are exact.
    std::int64_t moved(std::int64_t t) const {
        constexpr std::int64_t kFarthest = std::int64_t{1} << 61;
        std::int64_t sum = 0;
        if (__builtin_add_overflow(t, shift, &sum)) sum = t < 0 ? -kFarthest : kFarthest;
        return std::clamp(sum, -kFarthest, kFarthest);
    }
};

// Bytes that a member gives, or takes where it only takes.
inline std::int64_t moved_bytes(const MemberEvent& member) {
    return member.operation == Operation::Recv ? std::max(member.in_bytes, member.out_bytes) : member.in_bytes;
}

}  // namespace core
