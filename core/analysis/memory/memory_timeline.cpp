#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/memory/memory_analyses.hpp"
#include "core/analysis/memory/memory_changes.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace core::memory_timeline {
namespace {

constexpr std::string_view kNoOperator = "(no operator)";

// CPU memory has no reserving allocator: a recorded 0 is meaningless.
std::optional<std::int64_t> reserved_of(const std::string& device, const MemoryChange& change) {
    return device == "CPU" ? std::nullopt : change.reserved;
}

struct Peaks {
    std::optional<std::int64_t> allocated, reserved;
    Wide growth = 0, change = 0, allocated_bytes = 0;
    std::int64_t allocations = 0, frees = 0;

    void add(const MemoryChange& one, std::optional<std::int64_t> reserved_now) {
        if (one.allocated) allocated = std::max(allocated.value_or(*one.allocated), *one.allocated);
        if (reserved_now) reserved = std::max(reserved.value_or(*reserved_now), *reserved_now);
        change += one.bytes;
        growth = std::max(growth, change);
        if (one.bytes > 0) allocated_bytes += one.bytes;
        ++(one.bytes < 0 ? frees : allocations);
    }
};

// Totals over time: allocated and reserved if recorded, else the growth since the first event.
void add_series(const RankView& view, const std::string& device, const MemoryChanges& changes,
                std::vector<Series>& all) {
    Series allocated{.name = "allocated " + device,
                     .slot = static_cast<std::uint32_t>(view.slot),
                     .unit = Unit::Bytes,
                     .time = {},
                     .value = {}};
    Series reserved{.name = "reserved " + device,
                    .slot = static_cast<std::uint32_t>(view.slot),
                    .unit = Unit::Bytes,
                    .time = {},
                    .value = {}};
    Series growth{.name = "growth " + device,
                  .slot = static_cast<std::uint32_t>(view.slot),
                  .unit = Unit::Bytes,
                  .time = {},
                  .value = {}};
    double change = 0;
    for (const MemoryChange& one : changes) {
        const RunTime t = view.rank().start_of(one.event);
        const auto add = [&](Series& series, double value) {
            series.time.push_back(t);
            series.value.push_back(value);
        };
        change += static_cast<double>(one.bytes);
        add(growth, change);
        if (one.allocated) add(allocated, static_cast<double>(*one.allocated));
        if (const auto now = reserved_of(device, one)) add(reserved, static_cast<double>(*now));
    }
    const bool has_totals = !allocated.time.empty();
    for (Series* series : {&allocated, &reserved}) {
        if (!series->time.empty()) all.push_back(std::move(*series));
    }
    if (!has_totals) all.push_back(std::move(growth));
}

struct ByOperator {
    std::int64_t allocations = 0;
    Wide bytes = 0;
    std::int64_t largest = 0;
};

std::vector<Column> operator_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "CPU or GPU with its number"},
            {"operator", Unit::Text, Role::Key, Facet::Operator, "the innermost one that allocates"},
            {"allocations", Unit::Count, Role::Measure, Facet::None, "how often", true},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "their sum", true},
            {"largest", Unit::Bytes, Role::Measure, Facet::None, "the largest one"}};
}

void add_operators(const RankView& view, const std::string& device, const MemoryChanges& changes, Table& table) {
    std::map<NameId, ByOperator> by_name;
    for (const MemoryChange& change : changes) {
        if (change.bytes <= 0) continue;
        ByOperator& one = by_name[change.cause];
        ++one.allocations;
        one.bytes += change.bytes;
        one.largest = std::max(one.largest, change.bytes);
    }
    std::vector<std::pair<std::string_view, ByOperator>> rows;
    for (const auto& [name, one] : by_name)
        rows.emplace_back(name == kNoName ? kNoOperator : view.trace().text(name), one);
    std::ranges::sort(rows, {},
                      [](const auto& row) { return std::tuple(-row.second.largest, -row.second.bytes, row.first); });
    for (const auto& [name, one] : rows)
        table.add_row({view.key(), device, name, one.allocations, clamped(one.bytes), one.largest});
}

std::vector<Column> at_peak_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "CPU or GPU with its number"},
            {"site", Unit::Text, Role::Key, Facet::None,
             "where it was allocated: the outermost operator and the nearest Python call of user code"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "in use at the peak"},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of all that the device had in use"},
            {"blocks", Unit::Count, Role::Measure, Facet::None, "allocations"},
            {"largest", Unit::Bytes, Role::Measure, Facet::None, "the largest of them"}};
}

void add_sites(const RankView& view, const std::string& device, const MemoryChanges& changes, Table& table) {
    const MemorySites at_peak = find_sites_at_peak(view.trace(), changes);
    for (const MemorySite& site : at_peak.sites) {
        const Cell share =
            at_peak.all > 0 ? Cell{static_cast<double>(site.bytes) / static_cast<double>(at_peak.all)} : Cell{};
        const bool is_known = site.blocks > 0;
        table.add_row({view.key(), device, site.site, site.bytes, share, is_known ? Cell{site.blocks} : Cell{},
                       is_known ? Cell{site.largest} : Cell{}});
    }
}

std::vector<Column> category_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"category", Unit::Text, Role::Key, Facet::None, "what the memory is for, as PyTorch's timeline says"},
            {"peak", Unit::Bytes, Role::Measure, Facet::None, "most that was in use of it"},
            {"last", Unit::Bytes, Role::Measure, Facet::None, "in use at the end"}};
}

// Any trace may have a counter of this name: skips values that can't be memory sizes.
bool is_size(double value) { return std::abs(value) < 1e18; }

// By category if the rank is a raw memory timeline, largest peak first; samples before the time
// range give its initial values.
void add_categories(const RankView& view, Partial& partial) {
    const RankTrace& trace = view.trace();
    struct Line {
        std::string_view name;
        std::int64_t peak, last;
    };
    std::vector<Line> lines;
    for (const CounterTrack& track : trace.counters) {
        if (trace.text(track.name) != kMemoryByCategory) continue;
        Line line{.name = trace.text(track.series), .peak = 0, .last = 0};
        Series series{.name = std::string(line.name),
                      .slot = static_cast<std::uint32_t>(view.slot),
                      .unit = Unit::Bytes,
                      .time = {},
                      .value = {}};
        const auto next_size = [&](std::uint64_t i) {
            while (i < track.last && !is_size(trace.counter_values[i])) ++i;
            return i;
        };
        for (std::uint64_t i = next_size(track.first), next = 0; i < track.last; i = next) {
            if (view.time && trace.counter_times[i] >= view.time->end) break;
            next = next_size(i + 1);
            const double value = trace.counter_values[i];
            line.last = static_cast<std::int64_t>(value);
            const bool later_counts = next < track.last && view.time && trace.counter_times[next] <= view.time->begin;
            if (later_counts) continue;
            line.peak = std::max(line.peak, line.last);
            series.time.push_back(view.rank().to_run(trace.counter_times[i]));
            series.value.push_back(value);
        }
        lines.push_back(line);
        partial.series.push_back(std::move(series));
    }
    if (lines.empty()) return;
    std::ranges::stable_sort(lines, {}, [](const Line& line) { return -line.peak; });
    Table& table = partial.tables.emplace_back("categories", Table(category_columns())).table;
    for (const Line& line : lines) table.add_row({view.key(), line.name, line.peak, line.last});
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "CPU or GPU with its number"},
            {"peak_allocated", Unit::Bytes, Role::Measure, Facet::None,
             "most that was in use, by the allocator's own count; absent if the trace has none"},
            {"peak_reserved", Unit::Bytes, Role::Measure, Facet::None,
             "most that the allocator held; absent on the CPU and if the trace has none"},
            {"peak_growth", Unit::Bytes, Role::Measure, Facet::None, "most in use beyond what was at the first event"},
            {"allocations", Unit::Count, Role::Measure, Facet::None, "how many", true},
            {"allocated", Unit::Bytes, Role::Measure, Facet::None, "sum of their bytes", true},
            {"frees", Unit::Count, Role::Measure, Facet::None, "how many", true}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const Result<std::map<std::string, MemoryChanges>> devices = collect_memory_changes(view, context);
    if (!devices) return devices.error();
    Partial partial{
        {{"main", Table(columns())}, {"operators", Table(operator_columns())}, {"at_peak", Table(at_peak_columns())}},
        {},
        {},
        {}};
    for (const auto& [device, changes] : *devices) {
        Peaks peaks;
        for (const MemoryChange& change : changes) peaks.add(change, reserved_of(device, change));
        partial.tables[0].table.add_row({view.key(), device, optional_cell(peaks.allocated),
                                         optional_cell(peaks.reserved), clamped(peaks.growth), peaks.allocations,
                                         clamped(peaks.allocated_bytes), peaks.frees});
        add_operators(view, device, changes, partial.tables[1].table);
        add_sites(view, device, changes, partial.tables[2].table);
        add_series(view, device, changes, partial.series);
    }
    add_categories(view, partial);
    if (devices->empty()) partial.excluded.push_back({"ranks without a selected [memory] event", 1});
    return partial;
}

constexpr std::string_view kPeaks[] = {"peak_allocated"};
constexpr SecondaryTable kTables[] = {
    {"operators", operator_columns}, {"at_peak", at_peak_columns}, {"categories", category_columns}};

}  // namespace core::memory_timeline

namespace core {

constinit const Analysis kMemoryTimeline{
    .id = "memory-timeline",
    .title = "Memory",
    .summary = "How much memory was allocated and reserved on every device, and which operators allocate it.",
    .definition = R"(
From the [memory] events of a trace taken with profile_memory=True that pass the filter: one per allocation or free,
on the CPU and on every GPU. peak_allocated and peak_reserved are the greatest totals that the allocator wrote with
them, so they count what was there before the trace began, and what happened between events of the filter.
peak_growth is the greatest sum of bytes since the first event that passes; older traces have only that. allocations
and frees are counts (of more and of less than nothing), allocated is the sum of the former.

Reserved memory is what the caching allocator holds; on the CPU there is none, and the cell is absent. Memory that
does not come from PyTorch's allocators (NCCL, cuBLAS, the context) is in no number.

The series are the totals over time. The table operators has the allocations by the innermost operator on their
thread: how many, their sum, and the largest, largest first. The table at_peak has what is in use at the greatest
total (the greatest growth where there are none): allocations whose address no event has freed, by site, and what was
allocated before. A site is the outermost operator below the nearest Python call of user code, and that call's file
and line ("cross_entropy_loss · loss.py:22"; calls need with_stack=True). Frames of installed packages, of torch and
of the interpreter's start are passed over.

PyTorch's raw memory timeline (export_memory_timeline to a .raw.json.gz) opens as a rank of its own: its allocations
and frees are such events, and its series and the table categories have what each category of memory held: the peak
and the last value; of filters they follow rank and time only. HTA reads that file, and no [memory] events.
)",
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = memory_timeline::kPeaks},
    .comparable = true,
    .rank = memory_timeline::rank,
    .columns = memory_timeline::columns,
    .tables = memory_timeline::kTables,
    .lead = "peak_allocated",
    .of_cpu = true,
    .made_of = "events about memory",
};

}  // namespace core
