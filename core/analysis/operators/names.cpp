#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/operators/operator_analyses.hpp"

#include <algorithm>

namespace core::names {
namespace {

enum Device : std::size_t { kCpu, kGpu, kDevices };
constexpr std::string_view kDeviceNames[kDevices] = {"cpu", "gpu"};

struct NameTotal {
    NameId name{};
    Device device = kCpu;
    std::int64_t count = 0;
    Wide total = 0;
};

Device device_of(TrackKind kind) {
    const bool on_stream =
        kind == TrackKind::Stream || kind == TrackKind::StreamAnnotations || kind == TrackKind::StreamSync;
    return on_stream ? kGpu : kCpu;
}

class NameTotals {
public:
    explicit NameTotals(const RankTrace& trace) : index_(trace.names.size() * kDevices, kNone) {}

    void add(NameId name, Device device, Duration duration) {
        std::uint32_t& at = index_[index_of(name) * kDevices + device];
        if (at == kNone) {
            at = static_cast<std::uint32_t>(totals_.size());
            totals_.push_back({name, device});
        }
        ++totals_[at].count;
        totals_[at].total += duration.count();
    }
    // Sorted by total, longest first, then name and device.
    std::vector<NameTotal> sorted(const RankTrace& trace) && {
        std::ranges::sort(totals_, [&](const NameTotal& a, const NameTotal& b) {
            if (a.total != b.total) return a.total > b.total;
            if (a.name != b.name) return trace.text(a.name) < trace.text(b.name);
            return a.device < b.device;
        });
        return std::move(totals_);
    }

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    std::vector<std::uint32_t> index_;  // by name and device, into totals_
    std::vector<NameTotal> totals_;
};

bool is_counted(const RankView& view, EventId e) {
    if (view.trace().has(e, kInstant) || !view.selection->passes(e)) return false;
    if (view.trace().category_kind(e) == Category::Added) return false;
    if (!view.time) return true;
    const RankRange range = view.trace().range(e);
    return range.begin < view.time->end && view.time->begin < std::max(range.end, range.begin + Duration{1});
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "cpu: on a thread; gpu: on a row of a stream"},
            {"name", Unit::Text, Role::Key, Facet::Operator, "the full name, whatever the category"},
            {"count", Unit::Count, Role::Measure, Facet::None, "events of that name", true},
            {"total", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const RankTrace& trace = view.trace();
    NameTotals totals(trace);
    std::size_t seen = 0;
    for (const Lane& lane : trace.lanes) {
        const Device device = device_of(trace.tracks[lane.track].kind);
        for (std::size_t i = index_of(lane.first); i < index_of(lane.last); ++i) {
            if (seen++ % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
            const EventId e{static_cast<std::uint32_t>(i)};
            if (is_counted(view, e)) totals.add(trace.name[i], device, view.visible(e).length());
        }
    }
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    for (const NameTotal& total : std::move(totals).sorted(trace)) {
        partial.tables.front().table.add_row(
            {view.key(), kDeviceNames[total.device], trace.text(total.name), total.count, clamped(total.total)});
    }
    return partial;
}

}  // namespace core::names

namespace core {

constinit const Analysis kNames{
    .id = "names",
    .title = "Event names",
    .summary = "Count and summed duration of every event name, on the CPU and on the GPU, per rank.",
    .definition = R"(
One row per rank, device and full name, whatever the category: operators, runtime calls, annotations, Python frames
on cpu; kernels, copies and the annotations on stream rows on gpu. count and total of the events that pass the
filter; events that are only a moment, or that an export by Lockstep added, do not count.

Durations are summed as they are: an operator's total includes what it calls, so totals of different names do not
add up to anything. A time range cuts events to their visible part; those it cuts still count.
)",
    .comparable = true,
    .rank = names::rank,
    .columns = names::columns,
    .lead = "total",
    .of_cpu = true,
    .made_of = "events",
};

}  // namespace core
