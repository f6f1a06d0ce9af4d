#pragma once
// Member events of collectives on one rank: what matching, clocks and waits need, so that they never read events.
// Made with the index and kept in the index file. In order of launch calls; events without one come first, by start.
// Says nothing of other ranks.

#include "core/base/jobs.hpp"
#include "core/index/class_rules.hpp"
#include "core/index/collective_operation.hpp"
#include "core/store/blob.hpp"
#include "core/store/values.hpp"

#include <limits>

namespace core {

inline constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kNoBytes = -1;
inline constexpr std::int32_t kNoPeer = -1;
inline constexpr std::uint16_t kNoGroup = 0xFFFF;
inline constexpr std::uint16_t kNoStep = 0xFFFF;

// One part or several: kernels of one rank that share a number are one member event.
struct MemberEvent {
    RankTime start;        // of the first part
    Duration duration;     // to the end of the last part
    std::int64_t number;   // kNoNumber: none
    std::uint64_t comms_id;  // 0: none
    std::int64_t in_bytes;   // kNoBytes: unknown
    std::int64_t out_bytes;
    EventId event;         // the first part
    std::int32_t peer;  // of send and recv: its rank in the world; of an operation with a root: its rank in the group
    std::uint16_t group;  // into groups()
    std::uint16_t step;  // into the trace's steps
    Operation operation;
    std::uint8_t type;  // type_code
    std::uint8_t parts;  // at most 255
    std::uint8_t launched;  // 1: the launch call is known
    RankTime end() const { return start + duration; }
};
static_assert(sizeof(MemberEvent) == 64);

// A process group as the events of one rank name it. Absent texts are kNoName, absent numbers kNoNumber.
struct MemberGroup {
    NameId name = kNoName;
    NameId description = kNoName;
    NameId ranks = kNoName;  // the list as written, perhaps cut
    std::uint32_t unused = 0;
    std::int64_t size = kNoNumber;
    std::int64_t first = kNoNumber;  // global rank start
    std::int64_t stride = kNoNumber;
    std::int64_t local = kNoNumber;  // a number that tells groups of this process apart, and of no other
    bool operator==(const MemberGroup&) const = default;
};

class MemberTable {
public:
    MemberTable() = default;
    // O(GPU events + members log members).
    MemberTable(const RankTrace&, const ClassTable&);
    // Converts to and from sections of an index file.
    explicit MemberTable(const Blob&);
    void collect_sections(SectionList&) const;
    // True if data from untrusted sections points outside the trace. O(members).
    bool has_fault(const RankTrace&) const;

    std::span<const MemberEvent> events() const { return events_.all(); }
    std::span<const MemberGroup> groups() const { return groups_.all(); }
    const MemberGroup* group_of(const MemberEvent& member) const {
        return member.group == kNoGroup ? nullptr : &groups_[member.group];
    }
    std::size_t resident_bytes() const { return events_.size_bytes() + groups_.size_bytes(); }

private:
    Values<MemberEvent> events_;
    Values<MemberGroup> groups_;
};

// The events of a member, its first part first: communication of the same track until its end. O(log GPU events +
// events meanwhile) where it has several parts.
std::vector<EventId> parts_of(const RankTrace&, const ClassTable&, const MemberEvent&);

// Elements of a JSON list as written, strings without their quotes; empty for any other text.
std::vector<std::string_view> split_list(std::string_view json);

}  // namespace core
