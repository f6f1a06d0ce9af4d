#include "core/analysis/memory/device_memory.hpp"
#include "core/analysis/memory/memory_analyses.hpp"

#include <algorithm>
#include <map>

namespace core::memory_peak {
namespace {

constexpr std::int64_t kAtEnd = 1;
constexpr std::string_view kBeforeHistory = "(allocated before the history)";

std::vector<Column> stack_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "GPU with its number"},
            {"stack", Unit::Text, Role::Key, Facet::None, "the whole call stack, innermost first"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "in use at that moment"},
            {"blocks", Unit::Count, Role::Measure, Facet::None, "how many"}};
}

struct Site {
    std::int64_t bytes = 0, blocks = 0, largest = 0;
    std::optional<std::int64_t> first;
};

std::string_view name_of_site(const RankTrace& trace, const LiveAllocation& allocation) {
    if (allocation.stack == kNoName && !allocation.since) return kBeforeHistory;
    return site_of(trace, allocation.stack);
}

std::string_view name_of_stack(const RankTrace& trace, const LiveAllocation& allocation) {
    return allocation.stack == kNoName ? name_of_site(trace, allocation) : trace.text(allocation.stack);
}

void add_rows(const RankView& view, std::int64_t device, const DeviceMemory& memory, bool at_end, Partial& partial) {
    const RankTrace& trace = view.trace();
    std::map<std::string_view, Site> sites, stacks;
    std::int64_t all = 0;
    const std::size_t changes = at_end ? memory.changes.size() : find_peaks(view, memory).changes;
    for (const auto& [address, allocation] : find_live(trace, memory, changes)) {
        all += allocation.bytes;
        for (Site* const site : {&sites[name_of_site(trace, allocation)], &stacks[name_of_stack(trace, allocation)]}) {
            site->bytes += allocation.bytes;
            ++site->blocks;
            site->largest = std::max(site->largest, allocation.bytes);
            if (!allocation.since || !has_times(trace)) continue;
            const std::int64_t time = view.since_origin(trace.start[index_of(*allocation.since)]).count();
            site->first = std::min(site->first.value_or(time), time);
        }
    }
    const auto by_size = [](const std::map<std::string_view, Site>& from) {
        std::vector<std::pair<std::string_view, Site>> rows(from.begin(), from.end());
        std::ranges::stable_sort(rows, {}, [](const auto& row) { return -row.second.bytes; });
        return rows;
    };
    for (const auto& [name, site] : by_size(sites)) {
        const Cell share = all > 0 ? Cell{static_cast<double>(site.bytes) / static_cast<double>(all)} : Cell{};
        partial.tables[0].table.add_row({view.key(), memory_device(device), name, site.bytes, share, site.blocks,
                                         site.largest, site.first ? Cell{*site.first} : Cell{}});
    }
    for (const auto& [name, site] : by_size(stacks))
        partial.tables[1].table.add_row({view.key(), memory_device(device), name, site.bytes, site.blocks});
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "GPU with its number"},
            {"site", Unit::Text, Role::Key, Facet::None, "where it was allocated: the frame nearest to user code"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "in use at that moment, as asked for"},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of all that the device had in use"},
            {"blocks", Unit::Count, Role::Measure, Facet::None, "allocations"},
            {"largest", Unit::Bytes, Role::Measure, Facet::None, "the largest of them"},
            {"first", Unit::Ns, Role::Info, Facet::None,
             "the oldest of them, from the run's start; absent if older than the history, or without times"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const Result<std::map<std::int64_t, DeviceMemory>> devices = collect_device_memory(view, context);
    if (!devices) return devices.error();
    Partial partial{{{"main", Table(columns())}, {"stacks", Table(stack_columns())}}, {}, {}, {}};
    for (const auto& [device, memory] : *devices) add_rows(view, device, memory, params[0] == kAtEnd, partial);
    if (devices->empty()) partial.excluded.push_back({"ranks that are not memory snapshots", 1});
    return partial;
}

constexpr std::string_view kMoments[] = {"peak", "end"};
constexpr Param kMemoryPeakParams[] = {
    {"at", "peak: when most is in use; end: when the snapshot was taken", Unit::Count, 0, 0, 1, kMoments},
};
constexpr std::string_view kBytesHeld[] = {"bytes"};
constexpr SecondaryTable kTables[] = {{"stacks", stack_columns}};

}  // namespace core::memory_peak

namespace core {

constinit const Analysis kMemoryPeak{
    .id = "memory-peak",
    .title = "Memory at the peak",
    .summary = "What is in use when most is in use, by where it was allocated.",
    .definition = R"(
From memory snapshots. The moment follows the event of the history (within the filter) with the greatest total, or
comes before the first one if no total is greater than that before it; at=end, or no history: the snapshot itself.
In use are the allocations without a completed free, and those older than the history, which their free or their
block in the snapshot shows. bytes are as asked for (whole blocks where the snapshot does not tell). site is the
innermost frame of user code: the first whose file is neither of an installed package nor of Python itself (runpy,
threading, multiprocessing, <frozen ...>). If a stack has none it is the innermost of a package, then of torch. The
table stacks has the whole call stacks. Native frames are left out, but for autograd's backward operation, whose
thread has no Python frames.
)",
    .params = memory_peak::kMemoryPeakParams,
    .chart = {.kind = ChartKind::Bars, .category = "site", .measures = memory_peak::kBytesHeld},
    .comparable = true,
    .rank = memory_peak::rank,
    .columns = memory_peak::columns,
    .tables = memory_peak::kTables,
    .lead = "bytes",
    .of_cpu = true,
    .made_of = kMemorySnapshots,
};

}  // namespace core
