#include "core/analysis/memory/device_memory.hpp"
#include "core/analysis/memory/memory_analyses.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace core::memory_fragmentation {
namespace {

struct Pool {
    std::int64_t segments = 0, reserved = 0, blocks = 0, requested = 0, free = 0, largest_free = 0, pieces = 0;
    std::int64_t empty_segments = 0;
    bool tells_requested = true;

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
            requested += block.requested.value_or(0);
            tells_requested &= block.requested.has_value();
        }
        if (is_empty) empty_segments += segment.bytes;
    }
    Cell fragmentation() const {
        return free > 0 ? Cell{1 - static_cast<double>(largest_free) / static_cast<double>(free)} : Cell{};
    }
};

// Pools in the order of rows: large before small, the default pool and stream before others.
using PoolKey = std::tuple<bool, std::string_view, std::int64_t>;  // is small, private pool, stream

std::string name_of(const PoolKey& key) {
    const auto& [is_small, private_pool, stream] = key;
    std::string name = is_small ? "small" : "large";
    if (!private_pool.empty()) name.append(kPrivatePool).append(private_pool);
    if (stream != 0) name += ", stream " + std::to_string(stream);
    return name;
}

void add_rows(const RankView& view, std::int64_t device, const DeviceMemory& memory, Table& table) {
    std::map<PoolKey, Pool> pools;
    for (const MemorySegment& segment : memory.segments)
        pools[{segment.is_small, segment.private_pool, segment.stream}].add(segment);
    for (const auto& [key, pool] : pools)
        table.add_row({view.key(), memory_device(device), name_of(key), pool.segments, pool.reserved, pool.blocks,
                       pool.tells_requested ? Cell{pool.requested} : Cell{}, pool.free, pool.pieces, pool.largest_free,
                       pool.fragmentation(), pool.empty_segments});
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "GPU with its number"},
            {"pool", Unit::Text, Role::Key, Facet::None,
             "large or small: their segments; with private pool and stream, unless default"},
            {"segments", Unit::Count, Role::Measure, Facet::None, "how many"},
            {"reserved", Unit::Bytes, Role::Measure, Facet::None, "their bytes"},
            {"in_use", Unit::Bytes, Role::Measure, Facet::None, "bytes of blocks in use or waiting to be freed"},
            {"requested", Unit::Bytes, Role::Measure, Facet::None,
             "of those, what was asked for; absent if the snapshot does not tell"},
            {"free", Unit::Bytes, Role::Measure, Facet::None, "bytes of free blocks"},
            {"free_blocks", Unit::Count, Role::Measure, Facet::None, "how many"},
            {"largest_free", Unit::Bytes, Role::Measure, Facet::None, "the largest free block"},
            {"fragmentation", Unit::Ratio, Role::Measure, Facet::None,
             "1 - largest_free / free; absent if nothing is free"},
            {"empty_segments", Unit::Bytes, Role::Measure, Facet::None,
             "segments without a block in use: empty_cache() gives back those outside private pools"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const Result<std::map<std::int64_t, DeviceMemory>> devices = collect_device_memory(view, context);
    if (!devices) return devices.error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    for (const auto& [device, memory] : *devices) add_rows(view, device, memory, partial.tables[0].table);
    if (devices->empty()) partial.excluded.push_back({"ranks that are not memory snapshots", 1});
    return partial;
}

constexpr std::string_view kReserved[] = {"reserved"};

}  // namespace core::memory_fragmentation

namespace core {

constinit const Analysis kMemoryFragmentation{
    .id = "memory-fragmentation",
    .title = "Memory fragmentation",
    .summary = "How much of what the allocator holds is free, and in how large pieces.",
    .definition = R"(
From memory snapshots: the segments and blocks when the snapshot was taken, by device and pool. A free block can
only serve an allocation of its size class (small, large), its private pool and its stream, so each combination is a
pool of its own. fragmentation is 1 - largest free block / all free bytes of the pool: 0 if one block has all that
is free, near 1 if it is in many small pieces. empty_segments are segments without a block in use. The allocator can
give them back, but those of a private pool (of CUDA graphs or torch.cuda.MemPool) only when its graphs and pool
objects are gone.
)",
    .chart = {.kind = ChartKind::Bars,
              .category = "rank",
              .measures = memory_fragmentation::kReserved,
              .label = "pool"},
    .comparable = true,
    .rank = memory_fragmentation::rank,
    .columns = memory_fragmentation::columns,
    .lead = "free",
    .of_cpu = true,
    .made_of = kMemorySnapshots,
};

}  // namespace core
