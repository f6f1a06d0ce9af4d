#include "core/analysis/memory/device_memory.hpp"

#include <algorithm>

namespace core::memory_fragmentation {
namespace {

struct Pool {
    std::int64_t segments = 0, reserved = 0, blocks = 0, requested = 0, free = 0, largest_free = 0, pieces = 0;
    std::int64_t empty_segments = 0;

    void add(const MemorySegment& segment) {
        ++segments;
        reserved += segment.bytes;
        bool is_empty = true;
        for (const MemoryBlock& block : segment.blocks) {
            if (block.is_free) {
                free += block.bytes;
                largest_free = std::max(largest_free, block.bytes);
                ++pieces;
                continue;
            }
            is_empty = false;
            blocks += block.bytes;
            requested += block.requested;
        }
        if (is_empty) empty_segments += segment.bytes;
    }
};

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "GPU with its number"},
            {"pool", Unit::Text, Role::Key, Facet::None, "small: segments for small blocks; large: the others"},
            {"segments", Unit::Count, Role::Measure, Facet::None, "how many"},
            {"reserved", Unit::Bytes, Role::Measure, Facet::None, "their bytes"},
            {"in_use", Unit::Bytes, Role::Measure, Facet::None, "bytes of blocks in use or waiting to be freed"},
            {"requested", Unit::Bytes, Role::Measure, Facet::None, "of those, what was asked for"},
            {"free", Unit::Bytes, Role::Measure, Facet::None, "bytes of free blocks"},
            {"free_blocks", Unit::Count, Role::Measure, Facet::None, "how many"},
            {"largest_free", Unit::Bytes, Role::Measure, Facet::None, "the largest free block"},
            {"fragmentation", Unit::Ratio, Role::Measure, Facet::None,
             "1 - largest_free / free; absent if nothing is free"},
            {"empty_segments", Unit::Bytes, Role::Measure, Facet::None,
             "segments without a block in use: empty_cache() gives them back"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const Result<std::map<std::int64_t, DeviceMemory>> devices = collect_device_memory(view, context);
    if (!devices) return devices.error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    for (const auto& [device, memory] : *devices) {
        for (const bool is_small : {false, true}) {
            Pool pool;
            for (const MemorySegment& segment : memory.segments)
                if (segment.is_small == is_small) pool.add(segment);
            if (pool.segments == 0) continue;
            const Cell fragmentation =
                pool.free > 0 ? Cell{1 - static_cast<double>(pool.largest_free) / static_cast<double>(pool.free)}
                              : Cell{};
            partial.tables[0].table.add_row({view.key(), memory_device(device),
                                             std::string_view(is_small ? "small" : "large"), pool.segments,
                                             pool.reserved, pool.blocks, pool.requested, pool.free, pool.pieces,
                                             pool.largest_free, fragmentation, pool.empty_segments});
        }
    }
    if (devices->empty()) partial.excluded.push_back({"ranks that are not memory snapshots", 1});
    return partial;
}

}  // namespace core::memory_fragmentation
