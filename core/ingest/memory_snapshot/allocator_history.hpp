#pragma once
// One snapshot of PyTorch's caching allocator (torch.cuda.memory._dump_snapshot) as plain data: what the allocator did,
// and its segments and blocks when the snapshot was taken. An entry with values that are missing, of the wrong kind or
// absurd is dropped and counted.

#include "core/base/diagnostics.hpp"
#include "core/base/result.hpp"
#include "core/ingest/pickle/value_tree.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class AllocatorAction : std::uint8_t {
    Alloc,
    FreeRequested,
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory,
    Snapshot,
};

struct AllocatorEvent {
    AllocatorAction action = AllocatorAction::Alloc;
    std::int64_t device = 0;
    std::int64_t address = 0;  // of OutOfMemory: 0
    std::int64_t bytes = 0;  // asked for, without the allocator's rounding
    std::int64_t stream = 0;
    std::optional<std::int64_t> time_ns;  // since 1970
    std::optional<std::int64_t> device_free;  // of OutOfMemory
    ValueId frames{};  // a list, innermost first, or none
};

enum class BlockState : std::uint8_t { InUse, PendingFree, Free };

struct AllocatorBlock {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    std::optional<std::int64_t> requested;  // 0 if free; absent if the snapshot does not tell
    BlockState state = BlockState::Free;
    ValueId frames{};
};

struct AllocatorSegment {
    std::int64_t device = 0;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t stream = 0;
    bool is_small = false;
    bool is_expandable = false;
    std::string private_pool;  // its id, as "0.1"; empty: the default pool
    std::vector<AllocatorBlock> blocks;
};

struct AllocatorRange {
    std::string_view name;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
};

struct AllocatorHistory {
    ValueTree tree;
    std::vector<AllocatorEvent> events;  // by device, then as written
    std::vector<AllocatorSegment> segments;
    std::vector<AllocatorRange> ranges;  // external annotations; those that never end last to the last event
    std::optional<ValueId> settings;
    std::uint64_t dropped = 0;
    Diagnostics diagnostics;
};

// BadInput: no list of "segments" and none of "device_traces", or a list or entry of them in two places.
Result<AllocatorHistory> read_allocator_history(ValueTree tree);

}  // namespace core
