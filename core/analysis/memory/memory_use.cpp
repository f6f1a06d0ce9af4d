#include "core/analysis/memory/memory_use.hpp"

#include "core/analysis/memory/memory_analyses.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace core {
namespace {

constexpr std::int64_t kCpuDevice = 0;  // device type

// Values of a column for events that are asked about in their order.
class ColumnCursor {
public:
    explicit ColumnCursor(SparseColumn<std::int64_t> column) : column_(column) {}
    std::optional<std::int64_t> of(EventId event) {
        while (at_ < column_.events.size() && column_.events[at_] < event) ++at_;
        if (at_ == column_.events.size() || column_.events[at_] != event) return std::nullopt;
        return column_.values[at_];
    }

private:
    SparseColumn<std::int64_t> column_;
    std::size_t at_ = 0;
};

struct Total {
    EventId event;
    std::int64_t device, allocated, reserved;
};

// Totals of the GPUs, in order; the filter does not apply.
std::vector<Total> collect_totals(const RankTrace& trace) {
    const SparseColumn<std::int64_t> allocated = trace.integers(Arg::TotalAllocated);
    ColumnCursor reserved(trace.integers(Arg::TotalReserved)), type(trace.integers(Arg::DeviceType)),
        device(trace.integers(Arg::Device));
    std::vector<Total> totals;
    for (std::size_t i = 0; i < allocated.events.size(); ++i) {
        const EventId e = allocated.events[i];
        const std::optional<std::int64_t> held = reserved.of(e);
        const bool is_gpu = type.of(e).value_or(kCpuDevice) != kCpuDevice;
        if (!held || !is_gpu || trace.name_text(e) != kMemoryEvent) continue;
        totals.push_back({e, device.of(e).value_or(0), allocated.values[i], *held});
    }
    const auto place_of = [&](const Total& total) {
        return std::pair(trace.start[index_of(total.event)], trace.order[index_of(total.event)]);
    };
    if (!std::ranges::is_sorted(totals, {}, place_of)) std::ranges::sort(totals, {}, place_of);
    return totals;
}

struct TotalsOfRank {
    std::vector<Total> totals;
};
std::shared_ptr<const TotalsOfRank> totals_of(const RankIndex& index) {
    return index.derived().get<TotalsOfRank>(
        [&] { return std::make_shared<const TotalsOfRank>(TotalsOfRank{collect_totals(index.trace())}); });
}

std::optional<std::int64_t> memory_of_device(const RankTrace& trace, std::int64_t device) {
    const std::vector<Device>& devices = trace.info.devices;
    const auto own = std::ranges::find(devices, device, &Device::id);
    if (own == devices.end() || own->memory_bytes <= 0) return std::nullopt;
    return own->memory_bytes;
}

}  // namespace

std::optional<double> MemoryUse::slack(std::int64_t allocated, std::int64_t reserved) {
    if (reserved <= 0) return std::nullopt;
    return 1 - static_cast<double>(allocated) / static_cast<double>(reserved);
}

std::map<std::int64_t, MemoryUse> collect_memory_use(const RankView& view) {
    const RankTrace& trace = view.trace();
    std::map<std::int64_t, MemoryUse> devices;
    const std::shared_ptr<const TotalsOfRank> totals = totals_of(*view.rank().index);
    for (const Total& total : totals->totals) {
        if (!view.passes(total.event)) continue;
        const auto [at, is_first] = devices.try_emplace(total.device);
        MemoryUse& use = at->second;
        if (is_first) use.device_memory = memory_of_device(trace, total.device);
        use.allocated_at_end = total.allocated;
        use.reserved_at_end = total.reserved;
        use.peak_reserved = std::max(use.peak_reserved, use.reserved_at_end);
        if (use.at_peak != kNoEvent && use.allocated_at_end <= use.peak_allocated) continue;
        use.peak_allocated = use.allocated_at_end;
        use.reserved_at_peak = use.reserved_at_end;
        use.at_peak = total.event;
    }
    return devices;
}

}  // namespace core

namespace core::memory_efficiency {

std::vector<Column> columns() {
    const auto cell = [](std::string_view name, Unit unit, std::string_view meaning, Better better) {
        return Column{std::string(name), unit, Role::Measure, Facet::None, std::string(meaning), false, {}, better};
    };
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"device", Unit::Text, Role::Key, Facet::None, "GPU with its number"},
            cell("peak_allocated", Unit::Bytes, "most that was in use at once", Better::Less),
            cell("reserved_at_peak", Unit::Bytes, "held by the allocator at that moment", Better::Less),
            cell("peak_reserved", Unit::Bytes, "most that the allocator held", Better::Less),
            cell("slack", Unit::Ratio, "1 - peak_allocated / reserved_at_peak", Better::Less),
            cell("slack_end", Unit::Ratio, "the same at the last event: what is cached then", Better::Neither),
            cell("device_memory", Unit::Bytes, "of the device; absent if the trace does not say", Better::Neither),
            cell("headroom", Unit::Bytes, "device_memory - peak_reserved", Better::More),
            cell("pressure", Unit::Ratio, "peak_reserved / device_memory", Better::Less),
            {"event", Unit::Event, Role::Info, Facet::None, "the allocation at the peak"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    const auto ratio = [](const std::optional<double>& value) { return value ? Cell{*value} : Cell{}; };
    for (const auto& [device, use] : collect_memory_use(view)) {
        const std::string name = "GPU " + std::to_string(device);
        const std::optional<std::int64_t> memory = use.device_memory;
        partial.tables.front().table.add_row(
            {view.key(), std::string_view(name), use.peak_allocated, use.reserved_at_peak, use.peak_reserved,
             ratio(MemoryUse::slack(use.peak_allocated, use.reserved_at_peak)),
             ratio(MemoryUse::slack(use.allocated_at_end, use.reserved_at_end)), memory ? Cell{*memory} : Cell{},
             memory ? Cell{*memory - use.peak_reserved} : Cell{},
             memory ? Cell{static_cast<double>(use.peak_reserved) / static_cast<double>(*memory)} : Cell{},
             static_cast<std::int64_t>(index_of(use.at_peak))});
    }
    return partial;
}

constexpr std::string_view kSlack[] = {"slack"};

}  // namespace core::memory_efficiency

namespace core {

constinit const Analysis kMemoryEfficiency{
    .id = "memory-efficiency",
    .title = "Memory efficiency",
    .summary = "How full the allocator of each GPU was at its peak, and how near to the device's memory.",
    .definition = R"(
From memory events that carry totals (profile_memory=True, since 2021), of each GPU of a rank, those that pass the
filter. peak_allocated is the most in use at once, reserved_at_peak what the allocator held at the first such
moment, peak_reserved the most it held. slack = 1 - peak_allocated / reserved_at_peak: of what is held, not of what
is broken up (memory-fragmentation); slack_end the same at the last event, where it is cache and no problem.
headroom = device_memory - peak_reserved, pressure = peak_reserved / device_memory. Traces without totals have no
rows.
)",
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = memory_efficiency::kSlack, .series = "device"},
    .comparable = true,
    .rank = memory_efficiency::rank,
    .columns = memory_efficiency::columns,
    .lead = "peak_allocated",
    .of_cpu = true,
    .made_of = "memory events with totals (profile_memory=True)",
};

}  // namespace core
