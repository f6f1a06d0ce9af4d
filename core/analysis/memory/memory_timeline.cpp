#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/memory/memory_analyses.hpp"
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

// One allocation (bytes > 0) or free.
struct Change {
    EventId event;
    std::int64_t bytes;
    std::optional<std::int64_t> allocated, reserved;  // totals after the change
    NameId cause;                                     // innermost operator around it, or kNoName
};

using Changes = std::vector<Change>;

// Sort key: time, then position in the file.
auto moment_of(const RankTrace& trace, EventId e) {
    return std::pair(trace.start[index_of(e)], trace.order[index_of(e)]);
}

std::string device_of(const RankTrace& trace, EventId e) {
    constexpr std::int64_t kCpu = 0;
    const std::int64_t device = trace.integer(Arg::Device, e).value_or(-1);
    if (trace.integer(Arg::DeviceType, e).value_or(kCpu) == kCpu) return "CPU";
    return device < 0 ? "GPU" : "GPU " + std::to_string(device);
}

std::vector<EventId> events_of(const RankTrace& trace, const Track& track) {
    std::vector<EventId> events;
    for (std::uint32_t l = track.first_lane; l < track.first_lane + track.lane_count; ++l) {
        for (std::size_t i = index_of(trace.lanes[l].first); i < index_of(trace.lanes[l].last); ++i)
            events.push_back(EventId{static_cast<std::uint32_t>(i)});
    }
    return events;
}

// Operators of the thread to which a track of instants belongs, by start, outer before inner.
std::vector<EventId> operators_beside(const RankTrace& trace, const Track& moments) {
    std::vector<EventId> operators;
    for (const Track& track : trace.tracks) {
        if (track.kind != TrackKind::Thread || track.process != moments.process || track.tid != moments.tid) continue;
        operators = events_of(trace, track);
    }
    std::erase_if(operators, [&](EventId e) { return !is_operator(trace, e); });
    std::ranges::sort(operators, {}, [&](EventId e) {
        return std::tuple(trace.start[index_of(e)], -trace.duration[index_of(e)], trace.order[index_of(e)]);
    });
    return operators;
}

// Finds the innermost open operator at times queried in increasing order.
class OpenOperators {
public:
    OpenOperators(const RankTrace& trace, const Track& moments)
        : trace_(trace), operators_(operators_beside(trace, moments)) {}

    NameId name_at(RankTime t) {
        for (; next_ < operators_.size() && trace_.start[index_of(operators_[next_])] <= t; ++next_) {
            close_until(trace_.start[index_of(operators_[next_])]);
            open_.push_back(operators_[next_]);
        }
        close_until(t);
        return open_.empty() ? kNoName : trace_.name[index_of(open_.back())];
    }

private:
    void close_until(RankTime t) {
        while (!open_.empty() && trace_.end(open_.back()) <= t) open_.pop_back();
    }

    const RankTrace& trace_;
    std::vector<EventId> operators_;
    std::size_t next_ = 0;
    std::vector<EventId> open_;
};

void add_track(const RankView& view, const Track& track, std::map<std::string, Changes>& devices) {
    const RankTrace& trace = view.trace();
    std::vector<EventId> moments = events_of(trace, track);
    std::erase_if(moments, [&](EventId e) {
        return trace.name_text(e) != kMemoryEvent || !trace.integer(Arg::Bytes, e) || !view.passes(e);
    });
    if (moments.empty()) return;
    std::ranges::sort(moments, {}, [&](EventId e) { return moment_of(trace, e); });
    OpenOperators operators(trace, track);
    for (const EventId e : moments) {
        devices[device_of(trace, e)].push_back({e, *trace.integer(Arg::Bytes, e), trace.integer(Arg::TotalAllocated, e),
                                                trace.integer(Arg::TotalReserved, e),
                                                operators.name_at(trace.start[index_of(e)])});
    }
}

Result<std::map<std::string, Changes>> collect_changes(const RankView& view, const JobContext& context) {
    const RankTrace& trace = view.trace();
    std::map<std::string, Changes> devices;
    for (const Track& track : trace.tracks) {
        if (context.cancelled()) return cancelled_error();
        if (track.kind == TrackKind::Instants) add_track(view, track, devices);
    }
    for (auto& [device, changes] : devices)
        std::ranges::sort(changes, {}, [&](const Change& change) { return moment_of(trace, change.event); });
    return devices;
}

// CPU memory has no reserving allocator: a recorded 0 is meaningless.
std::optional<std::int64_t> reserved_of(const std::string& device, const Change& change) {
    return device == "CPU" ? std::nullopt : change.reserved;
}

struct Peaks {
    std::optional<std::int64_t> allocated, reserved;
    Wide growth = 0, change = 0, allocated_bytes = 0;
    std::int64_t allocations = 0, frees = 0;

    void add(const Change& one, std::optional<std::int64_t> reserved_now) {
        if (one.allocated) allocated = std::max(allocated.value_or(*one.allocated), *one.allocated);
        if (reserved_now) reserved = std::max(reserved.value_or(*reserved_now), *reserved_now);
        change += one.bytes;
        growth = std::max(growth, change);
        if (one.bytes > 0) allocated_bytes += one.bytes;
        ++(one.bytes < 0 ? frees : allocations);
    }
};

Cell cell_of(std::optional<std::int64_t> value) { return value ? Cell{*value} : Cell{}; }

// Totals over time: allocated and reserved if recorded, else the growth since the first event.
void add_series(const RankView& view, const std::string& device, const Changes& changes, std::vector<Series>& all) {
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
    for (const Change& one : changes) {
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

void add_operators(const RankView& view, const std::string& device, const Changes& changes, Table& table) {
    std::map<NameId, ByOperator> by_name;
    for (const Change& change : changes) {
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
    const Result<std::map<std::string, Changes>> devices = collect_changes(view, context);
    if (!devices) return devices.error();
    Partial partial{{{"main", Table(columns())}, {"operators", Table(operator_columns())}}, {}, {}, {}};
    for (const auto& [device, changes] : *devices) {
        Peaks peaks;
        for (const Change& change : changes) peaks.add(change, reserved_of(device, change));
        partial.tables[0].table.add_row({view.key(), device, cell_of(peaks.allocated), cell_of(peaks.reserved),
                                         clamped(peaks.growth), peaks.allocations, clamped(peaks.allocated_bytes),
                                         peaks.frees});
        add_operators(view, device, changes, partial.tables[1].table);
        add_series(view, device, changes, partial.series);
    }
    add_categories(view, partial);
    if (devices->empty()) partial.excluded.push_back({"ranks without a selected [memory] event", 1});
    return partial;
}

constexpr std::string_view kPeaks[] = {"peak_allocated"};
constexpr SecondaryTable kTables[] = {{"operators", operator_columns}, {"categories", category_columns}};

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
thread: how many, their sum, and the largest, largest first.

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
