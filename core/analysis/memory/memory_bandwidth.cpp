#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/memory/memory_analyses.hpp"
#include "core/analysis/memory/memory_copies.hpp"
#include "core/analysis/time/step_windows.hpp"

#include <algorithm>

namespace core::memory_bandwidth {
namespace {

Wide length_of(const std::vector<RankRange>& disjoint) {
    Wide sum = 0;
    for (const RankRange& range : disjoint) sum += range.length().count();
    return sum;
}

template <class Keep>
Wide union_of(const std::vector<Copy>& copies, const Keep& keep) {
    std::vector<RankRange> ranges;
    for (const Copy& copy : copies) {
        if (keep(copy)) ranges.push_back(copy.visible);
    }
    return length_of(merge_ranges(std::move(ranges)));
}

Cell rate_cell(Wide bytes, Wide ns) {
    if (ns == 0) return {};
    return static_cast<double>(bytes) / static_cast<double>(ns) * 1e9;
}

void add_row(const RankView& view, std::string_view kind, const std::vector<Copy>& copies, Table& table) {
    const auto is_known = [](const Copy& copy) { return copy.source != SizeSource::Unknown; };
    const auto count = [&](SizeSource source) {
        return std::int64_t{std::ranges::count(copies, source, &Copy::source)};
    };
    Wide bytes = 0;
    for (const Copy& copy : copies) bytes += copy.bytes;
    const std::int64_t unknown = count(SizeSource::Unknown);
    const Wide time = union_of(copies, [](const Copy&) { return true; });
    const Wide known_time = unknown == 0 ? time : union_of(copies, is_known);
    const bool any = unknown < std::ssize(copies);
    table.add_row({view.key(), kind, std::ssize(copies), any ? Cell{clamped(bytes)} : Cell{}, clamped(time),
                   any ? rate_cell(bytes, known_time) : Cell{}, count(SizeSource::FromBandwidth), unknown});
}

// Sum of the bandwidths of the running copies, with a point at every change.
Series build_series(const RankView& view, std::string_view kind, const std::vector<Copy>& copies) {
    struct Change {
        RankTime time;
        double bandwidth;  // of the copy that begins
        bool begins;
    };
    std::vector<Change> changes;
    for (const Copy& copy : copies) {
        if (copy.visible.empty() || copy.bandwidth <= 0) continue;
        changes.push_back({copy.visible.begin, copy.bandwidth, true});
        changes.push_back({copy.visible.end, copy.bandwidth, false});
    }
    std::ranges::sort(changes, {}, &Change::time);
    Series series{.name = "bandwidth, " + std::string(kind),
                  .slot = static_cast<std::uint32_t>(view.slot),
                  .unit = Unit::BytesPerSecond,
                  .time = {},
                  .value = {}};
    double sum = 0;
    std::int64_t running = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        sum += changes[i].begins ? changes[i].bandwidth : -changes[i].bandwidth;
        running += changes[i].begins ? 1 : -1;
        if (i + 1 < changes.size() && changes[i + 1].time == changes[i].time) continue;
        if (running == 0) sum = 0;  // removes rounding errors
        series.time.push_back(view.rank().to_run(changes[i].time));
        series.value.push_back(sum);
    }
    return series;
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"kind", Unit::Text, Role::Key, Facet::None, "HtoD, DtoH, DtoD, PtoP, memset, or the name"},
        {"count", Unit::Count, Role::Measure, Facet::None, "copies or sets of that kind", true},
        {"bytes", Unit::Bytes, Role::Measure, Facet::None, "sum of the known sizes", true},
        {"time", Unit::Ns, Role::Measure, Facet::None, "during which at least one of them ran", true},
        {"bandwidth", Unit::BytesPerSecond, Role::Measure, Facet::None, "bytes / time, of those whose size is known"},
        {"estimated", Unit::Count, Role::Measure, Facet::None, "whose size is their bandwidth times their duration"},
        {"unknown", Unit::Count, Role::Measure, Facet::None, "of unknown size: not in bytes and bandwidth"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const auto kinds = collect_copies(view, context);
    if (!kinds) return kinds.error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    for (const auto& [kind, copies] : *kinds) {
        add_row(view, kind, copies, partial.tables.front().table);
        Series series = build_series(view, kind, copies);
        if (!series.time.empty()) partial.series.push_back(std::move(series));
    }
    return partial;
}

constexpr std::string_view kTime[] = {"time"};

}  // namespace core::memory_bandwidth

namespace core {

constinit const Analysis kMemoryBandwidth{
    .id = "memory-bandwidth",
    .title = "Memory bandwidth",
    .summary = "Per kind of copy: how many, how much, how long, and how fast.",
    .definition = R"(
Over the GPU events of class memory that pass the filter, on all streams of the rank. time = length of the union of
the copies of a kind; bandwidth = bytes / time in bytes per second (1 GB/s = 1e9), so that copies that run at once
count once in time and long ones weigh more. Kinds may run at once, too: their times can add up to more than passed.
A time range cuts copies to their visible part and their bytes in proportion.

The size is that of the GPU event, else of its launch call, else the bandwidth the trace states times the duration
(counted as estimated); copies of unknown size count and take time, but are in neither bytes nor bandwidth. A kind
without known sizes, or that takes no time, has no bandwidth.

The series is the sum of the bandwidths of the copies running, each its own bytes / duration; copies of no length
are not in it. HTA averages over the points of change, however long they last, and adds up the bandwidths the trace
states, which belong to durations not yet rounded to whole microseconds.
)",
    .chart = {.kind = ChartKind::StackedBars,
              .category = "rank",
              .measures = memory_bandwidth::kTime,
              .series = "kind"},
    .comparable = true,
    .rank = memory_bandwidth::rank,
    .columns = memory_bandwidth::columns,
    .lead = "time",
    .made_of = "copies or sets of memory",
};

}  // namespace core
