#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/memory/device_memory.hpp"
#include "core/analysis/memory/failed_allocation.hpp"
#include "core/analysis/memory/memory_analyses.hpp"

#include <algorithm>
#include <map>

namespace core::memory_snapshot {
namespace {

std::vector<Column> failure_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "GPU with its number"},
            {"time", Unit::Ns, Role::Key, Facet::None, "when, from the run's start; without times, only the order"},
            {"asked", Unit::Bytes, Role::Measure, Facet::None, "what the allocation asked for"},
            {"device_free", Unit::Bytes, Role::Measure, Facet::None,
             "what the device had left then; absent if not recorded"},
            {"allocated", Unit::Bytes, Role::Measure, Facet::None, "in use then, as asked for"},
            {"reserved", Unit::Bytes, Role::Measure, Facet::None, "held by the allocator then"},
            {"free_in_reserved", Unit::Bytes, Role::Measure, Facet::None,
             "reserved less the blocks in use, each rounded up to 512 bytes"},
            {"largest_hole", Unit::Bytes, Role::Measure, Facet::None, "the largest gap between blocks in a segment"},
            {"site", Unit::Text, Role::Info, Facet::None, "where the allocation was asked for"},
            {"why", Unit::Text, Role::Info, Facet::None, "what these numbers say"}};
}

std::vector<Column> outliving_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "GPU with its number"},
            {"site", Unit::Text, Role::Key, Facet::None, "where it was allocated: the frame nearest to user code"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "of the history's allocations still in use at the end"},
            {"blocks", Unit::Count, Role::Measure, Facet::None, "how many"},
            {"allocations", Unit::Count, Role::Measure, Facet::None, "of this site in the history"},
            {"frees", Unit::Count, Role::Measure, Facet::None, "of them"},
            {"first", Unit::Ns, Role::Info, Facet::None, "the oldest one, from the run's start; absent without times"},
            {"last", Unit::Ns, Role::Info, Facet::None, "the newest one; absent without times"},
            {"suspect", Unit::Text, Role::Info, Facet::None,
             "yes: at least two, and none of the site's allocations was ever freed"}};
}

// Segments and blocks in the snapshot.
struct MemoryAtEnd {
    std::int64_t reserved = 0, blocks = 0, allocated = 0;
    std::uint64_t untold = 0;  // blocks in use that count as allocated in full, as nothing tells what was asked for

    explicit MemoryAtEnd(const DeviceMemory& memory) {
        for (const MemorySegment& segment : memory.segments) {
            reserved += segment.bytes;
            for (const MemoryBlock& block : segment.blocks) {
                if (block.is_free) continue;
                blocks += block.bytes;
                allocated += block.requested.value_or(block.bytes);
                untold += block.requested ? 0 : 1;
            }
        }
    }
};

class SnapshotTables {
public:
    SnapshotTables(const RankView& view, Partial& partial)
        : view_(view), trace_(view.trace()), partial_(partial), has_times_(has_times(trace_)) {}

    void add(std::int64_t device, const DeviceMemory& memory) {
        add_device(device, memory);
        for (const EventId failure : memory.failures)
            if (view_.passes(failure)) add_failure(device, memory, failure);
        add_outliving(device, memory);
    }

private:
    std::int64_t time_of(EventId e) const { return view_.since_origin(trace_.start[index_of(e)]).count(); }

    Cell time_cell(std::int64_t time) const { return has_times_ ? Cell{time} : Cell{}; }

    void add_device(std::int64_t device, const DeviceMemory& memory) {
        std::int64_t allocations = 0, frees = 0;
        for (const MemoryEvent& change : memory.changes)
            if (view_.passes(change.event)) ++(change.bytes < 0 ? frees : allocations);
        const MemoryAtEnd end(memory);
        if (end.untold > 0) partial_.excluded.push_back({"blocks in use whose requested size is not told", end.untold});
        MemoryPeaks peaks = find_peaks(view_, memory);
        if (memory.history.empty()) peaks.begin_allocated = end.allocated;
        partial_.tables[0].table.add_row(
            {view_.key(), memory_device(device), allocations, frees, optional_cell(peaks.begin_allocated),
             optional_cell(peaks.allocated), peaks.at ? time_cell(time_of(*peaks.at)) : Cell{}, end.allocated,
             optional_cell(peaks.reserved), end.reserved, end.untold > 0 ? Cell{} : Cell{end.blocks - end.allocated},
             std::ssize(memory.failures)});
        if (peaks.at)
            partial_.marks.push_back({{static_cast<std::uint32_t>(view_.slot), *peaks.at}, "most memory in use"});
    }

    void add_failure(std::int64_t device, const DeviceMemory& memory, EventId failure) {
        const FailedAllocation failed = explain_failure(trace_, memory, failure);
        partial_.tables[1].table.add_row({view_.key(), memory_device(device), time_of(failure), failed.asked,
                                          optional_cell(failed.device_free), failed.in_use, failed.reserved,
                                          failed.free_in_reserved, failed.largest_hole, failed.site, failed.why});
        partial_.marks.push_back({{static_cast<std::uint32_t>(view_.slot), failure}, "out of memory"});
    }

    void add_outliving(std::int64_t device, const DeviceMemory& memory) {
        struct Site {
            std::int64_t bytes = 0, blocks = 0, allocations = 0, frees = 0;
            std::int64_t first = 0, last = 0;
        };
        std::map<std::string_view, Site> sites;
        std::map<std::int64_t, NameId> stack_at;
        for (const MemoryEvent& change : memory.changes) {
            if (change.bytes >= 0) {
                const NameId* const stack = trace_.texts(Arg::CallStack).find(change.event);
                stack_at[change.address] = stack ? *stack : kNoName;
                ++sites[site_of(trace_, stack_at[change.address])].allocations;
            } else if (const auto known = stack_at.find(change.address); known != stack_at.end()) {
                ++sites[site_of(trace_, known->second)].frees;
                stack_at.erase(known);
            }
        }
        for (const auto& [address, allocation] : find_live(trace_, memory, memory.changes.size())) {
            if (!allocation.since || !view_.passes(*allocation.since)) continue;
            Site& site = sites[site_of(trace_, allocation.stack)];
            const std::int64_t time = time_of(*allocation.since);
            site.first = site.blocks == 0 ? time : std::min(site.first, time);
            site.last = site.blocks == 0 ? time : std::max(site.last, time);
            ++site.blocks;
            site.bytes += allocation.bytes;
        }
        std::vector<std::pair<std::string_view, Site>> rows(sites.begin(), sites.end());
        std::erase_if(rows, [](const auto& row) { return row.second.blocks == 0; });
        std::ranges::stable_sort(rows, {}, [](const auto& row) { return -row.second.bytes; });
        for (const auto& [name, site] : rows) {
            const bool suspect = site.blocks >= 2 && site.frees == 0;
            partial_.tables[2].table.add_row({view_.key(), memory_device(device), name, site.bytes, site.blocks,
                                              site.allocations, site.frees, time_cell(site.first), time_cell(site.last),
                                              std::string_view(suspect ? "yes" : "no")});
        }
    }

    const RankView& view_;
    const RankTrace& trace_;
    Partial& partial_;
    bool has_times_;
};

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "GPU with its number"},
            {"allocations", Unit::Count, Role::Measure, Facet::None, "in the history, within the time filter", true},
            {"frees", Unit::Count, Role::Measure, Facet::None, "in the history, within the time filter", true},
            {"begin_allocated", Unit::Bytes, Role::Measure, Facet::None, "in use when the history begins"},
            {"peak_allocated", Unit::Bytes, Role::Measure, Facet::None,
             "most in use, as asked for, the beginning included; absent without a history"},
            {"peak_time", Unit::Ns, Role::Info, Facet::None,
             "when that was, from the run's start: the first event if at the beginning; absent without times"},
            {"end_allocated", Unit::Bytes, Role::Measure, Facet::None,
             "in use in the snapshot, as asked for, or whole blocks if it does not tell"},
            {"peak_reserved", Unit::Bytes, Role::Measure, Facet::None,
             "most that the allocator held, the beginning included; absent without a history"},
            {"end_reserved", Unit::Bytes, Role::Measure, Facet::None, "held in the snapshot"},
            {"rounding", Unit::Bytes, Role::Measure, Facet::None,
             "of the blocks in use in the snapshot, what nobody asked for; absent if it does not tell"},
            {"out_of_memory", Unit::Count, Role::Measure, Facet::None, "how often an allocation failed", true}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const Result<std::map<std::int64_t, DeviceMemory>> devices = collect_device_memory(view, context);
    if (!devices) return devices.error();
    Partial partial{{{"main", Table(columns())},
                     {"out_of_memory", Table(failure_columns())},
                     {"outliving", Table(outliving_columns())}},
                    {},
                    {},
                    {}};
    SnapshotTables tables(view, partial);
    for (const auto& [device, memory] : *devices) tables.add(device, memory);
    if (devices->empty()) partial.excluded.push_back({"ranks that are not memory snapshots", 1});
    return partial;
}

constexpr std::string_view kPeakOrEnd[] = {"peak_allocated", "end_allocated"};
constexpr SecondaryTable kTables[] = {{"out_of_memory", failure_columns}, {"outliving", outliving_columns}};

}  // namespace core::memory_snapshot

namespace core {

constinit const Analysis kMemorySnapshot{
    .id = "memory-snapshot",
    .title = "Memory snapshot",
    .summary = "What the caching allocator of each device did and holds: totals, failures, allocations that stay.",
    .definition = R"(
From memory snapshots (torch.cuda.memory._dump_snapshot), each a rank. allocated adds up what was asked for: in the
snapshot over the blocks in use or waiting to be freed, before it by undoing the history from there. A block is
freed when its free has completed. reserved is what the allocator holds of the device, undone likewise over
segments. rounding is what the blocks in use have beyond what was asked for, known for the snapshot only. Peaks are
looked for after each event and before the first, as the history can begin at the peak; without a history there are
none. A snapshot that does not tell what was asked for (old PyTorch) counts whole blocks and has no rounding.

The table out_of_memory explains each failed allocation by replaying the segments and blocks up to it: blocks that
are gone in the snapshot are taken as rounded up to 512 bytes. Pieces of expandable segments that touch are one.
Holes are not told apart by stream and pool. The table outliving has the history's allocations still in use at the
end, by the frame nearest to user code (see memory-peak): suspects are sites with at least two of them that never
freed one.

Rank and time filters choose what is counted, and where the peak is looked for; totals always begin with what was in
use before.
)",
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = memory_snapshot::kPeakOrEnd},
    .comparable = true,
    .rank = memory_snapshot::rank,
    .columns = memory_snapshot::columns,
    .tables = memory_snapshot::kTables,
    .lead = "peak_allocated",
    .of_cpu = true,
    .made_of = kMemorySnapshots,
};

}  // namespace core
