#pragma once
// The memory of one device according to a snapshot: its history, and its segments and blocks at the end. The basis of
// memory-snapshot, memory-peak and memory-fragmentation. Addresses are reused: an allocation is the address from one
// alloc to its free_completed. Rank and time filters apply to what is counted, never to what is still allocated.

#include "core/analysis/engine/analysis.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

// Analysis::made_of of the analyses of snapshots.
inline constexpr std::string_view kMemorySnapshots = "memory snapshot (torch.cuda.memory._dump_snapshot)";

// An allocation (bytes > 0), a free (bytes < 0), or a request for a segment (or its return).
struct MemoryEvent {
    EventId event{};
    std::int64_t address = 0;
    std::int64_t bytes = 0;
};

// An event of the history, and how it changed the totals that stand at it.
struct MemoryMoment {
    EventId event{};
    bool is_change = false;  // one of DeviceMemory::changes
    std::int64_t allocated = 0;
    std::int64_t reserved = 0;
};

struct MemoryBlock {
    std::int64_t address = 0;
    std::int64_t bytes = 0;      // of the block
    std::optional<std::int64_t> requested;  // of them asked for, if the snapshot tells
    bool is_free = false;
    NameId stack = kNoName;
};

struct MemorySegment {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    bool is_small = false;
    bool is_expandable = false;
    std::int64_t stream = 0;
    std::string_view private_pool;  // of the trace: its id; empty: the default pool
    std::vector<MemoryBlock> blocks;
};

struct DeviceMemory {
    std::vector<MemoryMoment> history;  // all of it, in order
    std::vector<MemoryEvent> changes;   // of allocated bytes, in order
    std::vector<MemoryEvent> requests;  // of reserved bytes, in order
    std::vector<EventId> failures;      // out of memory
    std::vector<MemorySegment> segments;
};

// By device number. Empty unless the rank is a memory snapshot.
Result<std::map<std::int64_t, DeviceMemory>> collect_device_memory(const RankView&, const JobContext&);

// One live allocation.
struct LiveAllocation {
    std::int64_t address = 0;
    std::int64_t bytes = 0;  // asked for
    NameId stack = kNoName;
    std::optional<EventId> since;  // its alloc; none if that lies before the history
};

// Allocations that live after the first `count` changes, by address. Allocations older than the history are known by
// their free, or by their block at the end.
std::map<std::int64_t, LiveAllocation> find_live(const RankTrace&, const DeviceMemory&, std::size_t count);

// False: the snapshot has no times, those of its events only order them.
bool has_times(const RankTrace&);

// Totals of a history. The one before the first event that passes the filter can be the greatest, too: a history that
// is kept in a ring often begins near the peak.
struct MemoryPeaks {
    std::optional<std::int64_t> begin_allocated;  // whatever the filter
    std::optional<std::int64_t> allocated, reserved;  // absent without an event that passes and has totals
    std::optional<EventId> at;  // of the greatest allocated: the event that led to it, or the first that passes
    std::size_t changes = 0;  // before that moment; all of them if there is none
};
MemoryPeaks find_peaks(const RankView&, const DeviceMemory&);

struct HeldSegment {
    std::int64_t bytes = 0;
    bool is_expandable = false;
};
// Segments reserved when the event `at` happens, by address. Pieces of expandable segments that touch are one.
std::map<std::int64_t, HeldSegment> find_segments(const RankTrace&, const DeviceMemory&, EventId at);

// The site of an allocation, its frame nearest to user code ("forward (model.py:54)"), or why there is none.
std::string_view site_of(const RankTrace&, NameId stack);

// "GPU 3".
std::string memory_device(std::int64_t device);

}  // namespace core
