#include "core/analysis/memory/memory_words.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/memory/memory_use.hpp"
#include "core/base/format.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

constexpr double kLeastTelling = 0.1;  // a smaller share says little next to one of unknown places

struct DevicePeak {
    std::int64_t bytes = 0;
    std::string device;
    std::string top;  // describe_top_site()
};

Result<DevicePeak> snapshot_peak(const RankView& view, const JobContext& context) {
    const Result<std::map<std::int64_t, DeviceMemory>> devices = collect_device_memory(view, context);
    if (!devices) return devices.error();
    DevicePeak most;
    for (const auto& [device, memory] : *devices) {
        const MemoryPeaks peaks = find_peaks(view, memory);
        const MemorySites sites = find_snapshot_sites(view.trace(), memory, peaks.changes);
        const std::int64_t bytes = peaks.allocated.value_or(sites.all);
        if (bytes <= most.bytes) continue;
        most = {.bytes = bytes, .device = memory_device(device), .top = describe_top_site(sites)};
    }
    return most;
}

// Without the place: that is looked for on one rank only.
DevicePeak traced_peak(const RankView& view) {
    DevicePeak most;
    for (const auto& [device, use] : collect_memory_use(view))
        if (use.peak_allocated > most.bytes)
            most = {.bytes = use.peak_allocated, .device = memory_device(device), .top = {}};
    return most;
}

}  // namespace

MemorySites find_snapshot_sites(const RankTrace& trace, const DeviceMemory& memory, std::size_t count) {
    std::map<NameId, MemorySite> by_stack;
    std::int64_t older = 0;
    MemorySites found;
    Wide all = 0;
    for (const auto& [address, allocation] : find_live(trace, memory, count)) {
        all += allocation.bytes;
        if (allocation.stack == kNoName) {
            older = clamped(Wide{older} + allocation.bytes);
            continue;
        }
        MemorySite& site = by_stack[allocation.stack];
        site.bytes = clamped(Wide{site.bytes} + allocation.bytes);
        site.largest = std::max(site.largest, allocation.bytes);
        ++site.blocks;
    }
    std::map<std::string_view, MemorySite> by_site;
    for (const auto& [stack, part] : by_stack) {
        MemorySite& site = by_site[site_of(trace, stack)];
        site.bytes = clamped(Wide{site.bytes} + part.bytes);
        site.largest = std::max(site.largest, part.largest);
        site.blocks += part.blocks;
    }
    for (auto& [name, site] : by_site) {
        site.site = name;
        found.sites.push_back(std::move(site));
    }
    if (older > 0) found.sites.push_back({.site = {}, .bytes = older, .blocks = 0, .largest = 0});
    std::ranges::stable_sort(found.sites, {}, [](const MemorySite& site) { return -site.bytes; });
    found.all = clamped(all);
    return found;
}

std::string describe_top_site(const MemorySites& sites, std::string_view whole) {
    const auto top = std::ranges::find_if(sites.sites, [](const MemorySite& site) { return site.blocks > 0; });
    if (top == sites.sites.end() || sites.all <= 0) return {};
    const double share = static_cast<double>(top->bytes) / static_cast<double>(sites.all);
    const auto of_whole = [&](const MemorySite& site) {
        return format_ratio(static_cast<double>(site.bytes) / static_cast<double>(sites.all)) + " of " +
               std::string(whole) + " (" + format_bytes(site.bytes) + ") allocated ";
    };
    const MemorySite& largest = sites.sites.front();
    if (largest.blocks == 0 && share < kLeastTelling) return of_whole(largest) + "at places that are not recorded";
    return of_whole(*top) + "in " + top->site;
}

Result<std::string> describe_memory_peak(const Run& run, const JobContext& context) {
    const Filter all;
    DevicePeak most;
    std::optional<std::size_t> slot;
    for (std::size_t i = 0; i < run.ranks().size(); ++i) {
        if (context.cancelled()) return cancelled_error();
        const RankTrace& trace = run.rank(i).trace();
        const bool is_snapshot = is_memory_snapshot(trace.info);
        if (!is_snapshot && trace.integers(Arg::TotalAllocated).events.empty()) continue;
        const Result<RankView> view = build_rank_view(run, i, all, context);
        if (!view) return view.error();
        const Result<DevicePeak> peak = is_snapshot ? snapshot_peak(*view, context) : traced_peak(*view);
        if (!peak) return peak.error();
        if (peak->bytes <= most.bytes) continue;
        most = *peak;
        slot = i;
    }
    if (!slot) return std::string();
    if (most.top.empty() && !is_memory_snapshot(run.rank(*slot).trace().info)) {
        const Result<RankView> view = build_rank_view(run, *slot, all, context);
        if (!view) return view.error();
        const auto devices = collect_memory_changes(*view, context);
        if (!devices) return devices.error();
        if (const auto changes = devices->find(most.device); changes != devices->end())
            most.top = describe_top_site(find_sites_at_peak(view->trace(), changes->second));
    }
    return most.device + " of rank " + format_rank(run.rank(*slot).key) + " peaks at " + format_bytes(most.bytes) +
           " in use" + (most.top.empty() ? "" : ", " + most.top);
}

}  // namespace core
