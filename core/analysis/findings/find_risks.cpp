#include "core/analysis/findings/find_risks.hpp"

#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/analysis/findings/limits.hpp"
#include "core/analysis/memory/failed_allocation.hpp"
#include "core/analysis/memory/memory_use.hpp"
#include "core/analysis/memory/memory_words.hpp"
#include "core/base/format.hpp"

#include <algorithm>

namespace core {
namespace {

bool is_above(std::optional<double> value, std::optional<double> limit) { return value && limit && *value > *limit; }

std::optional<double> pressure_of(const MemoryUse& use) {
    if (!use.device_memory) return std::nullopt;
    return static_cast<double>(use.peak_reserved) / static_cast<double>(*use.device_memory);
}

std::string format_device(std::int64_t device) { return "GPU " + std::to_string(device); }

Finding make_risk(FindingKind kind, std::string_view severity, std::string evidence, std::vector<EventId> events) {
    return {.kind = kind,
            .gain = 0,
            .evidence = std::move(evidence),
            .events = std::move(events),
            .window = 0,
            .places = {},
            .gap = {},
            .advice = {},
            .risk = severity};
}

// Reports the fullest GPU, of equal ones the first. Unused memory is a risk only where little is left: elsewhere it is
// cache.
Result<bool> add_memory_risks(const RankView& view, const Limits& limits, const JobContext& context,
                              std::vector<Finding>& found) {
    const std::map<std::int64_t, MemoryUse> devices = collect_memory_use(view);
    const auto fullest =
        std::ranges::max_element(devices, {}, [](const auto& entry) { return pressure_of(entry.second).value_or(-1); });
    if (fullest == devices.end()) return true;
    const auto& [device, use] = *fullest;
    const std::optional<double> pressure = pressure_of(use);
    if (!is_above(pressure, limits.find("memory-pressure.warn"))) return true;
    const auto changes = collect_memory_changes(view, context);
    if (!changes) return changes.error();
    const auto of_device = changes->find(format_device(device));
    const std::string top = of_device == changes->end()
                                ? std::string()
                                : describe_top_site(find_sites_at_peak(view.trace(), of_device->second));
    const std::optional<double> slack = MemoryUse::slack(use.peak_allocated, use.reserved_at_peak);
    if (is_above(slack, limits.find("slack.warn")))
        found.push_back(make_risk(FindingKind::SlackHigh, is_above(slack, limits.find("slack.bad")) ? "medium" : "low",
                                  format_device(device) + ": of " + format_bytes(use.reserved_at_peak) +
                                      " reserved at the peak " + format_bytes(use.peak_allocated) + " are in use, " +
                                      format_ratio(*slack) + " are not, and " + format_ratio(*pressure) +
                                      " of the device is reserved",
                                  {use.at_peak}));
    found.push_back(
        make_risk(FindingKind::NearLimit, is_above(pressure, limits.find("memory-pressure.bad")) ? "medium" : "low",
                  format_device(device) + ": " + format_bytes(use.peak_reserved) + " of " +
                      format_bytes(*use.device_memory) + " were reserved, " + format_ratio(*pressure) +
                      "; the tensors took " + format_bytes(use.peak_allocated) + (top.empty() ? "" : ", " + top),
                  {use.at_peak}));
    return true;
}

Result<bool> add_uncounted(const RankView& view, const Limits& limits, const JobContext& context,
                           std::vector<Finding>& found) {
    const RankWorkPtr work = work_of(*view.rank().index, context);
    if (!work) return cancelled_error();
    const RankTrace& trace = view.trace();
    Coverage coverage;
    std::size_t count = 0;
    std::vector<std::pair<std::int64_t, EventId>> kernels;
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        const WorkKind kind = work->kinds[i];
        const EventId e = trace.gpu_events[i];
        if ((kind != WorkKind::Matrix && kind != WorkKind::Uncounted) || !view.passes(e)) continue;
        const std::int64_t time = view.visible(e).length().count();
        (kind == WorkKind::Matrix ? coverage.matrix : coverage.uncounted) += time;
        if (kind == WorkKind::Matrix) continue;
        ++count;
        kernels.emplace_back(-time, e);
    }
    const std::optional<double> least = limits.find("coverage.bad");
    const Wide all = coverage.matrix + coverage.uncounted;
    if (!least || coverage.uncounted * 100 < Wide{view.window().length().count()} * thresholds::kUncounted) return true;
    if (static_cast<double>(coverage.matrix) >= *least * static_cast<double>(all)) return true;
    const std::size_t kept = std::min(kernels.size(), thresholds::kMostEvents);
    std::ranges::partial_sort(kernels, kernels.begin() + static_cast<std::ptrdiff_t>(kept));
    std::vector<EventId> events;
    for (std::size_t i = 0; i < kept; ++i) events.push_back(kernels[i].second);
    std::string text = "FLOP are known for " +
                       format_ratio(static_cast<double>(coverage.matrix) / static_cast<double>(all)) +
                       " of the time of matrix kernels; " + format_duration(Duration{clamped(coverage.uncounted)}) +
                       ", in " + format_plural(count, "kernel", "kernels") + ", have no operator that states it";
    found.push_back(make_risk(FindingKind::Uncounted, "low", std::move(text), std::move(events)));
    if (is_mostly_replayed(view.rank()))
        found.back().advice =
            "MFU and HFU are lower bounds here. Record the capture of the graphs with record_shapes=True: vLLM "
            "capture_torch_profiler, SGLang --enable-profile-cuda-graph, PyTorch enable_annotations.";
    return true;
}

}  // namespace

Result<std::vector<Finding>> find_risks(const RankView& view, const JobContext& context) {
    std::vector<Finding> found;
    const std::shared_ptr<const Limits> limits = limits_of(*view.run);
    if (const Result<bool> added = add_memory_risks(view, *limits, context, found); !added) return added.error();
    const Result<bool> added = add_uncounted(view, *limits, context, found);
    if (!added) return added.error();
    return found;
}

namespace {

std::string describe_failure(const RankView& view, std::int64_t device, const DeviceMemory& memory, EventId failure) {
    const RankTrace& trace = view.trace();
    const FailedAllocation failed = explain_failure(trace, memory, failure);
    std::string text = format_device(device) + ": ";
    if (has_times(trace)) text += "at " + format_duration(view.since_origin(trace.start[index_of(failure)])) + " ";
    text += "a request for " + format_bytes(failed.asked) + " failed with " + format_bytes(failed.in_use) +
            " in use and " + format_bytes(failed.reserved) + " reserved";
    if (failed.device_free) text += ", " + format_bytes(*failed.device_free) + " left on the device";
    text += "; " + std::string(failed.why);
    if (trace.texts(Arg::CallStack).find(failure)) text += "; asked for in " + std::string(failed.site);
    if (!failed.most_in_use.empty()) text += "; " + failed.most_in_use;
    return text;
}

}  // namespace

Result<std::vector<Finding>> find_out_of_memory(const RankView& view, const JobContext& context) {
    std::vector<Finding> found;
    const Result<std::map<std::int64_t, DeviceMemory>> devices = collect_device_memory(view, context);
    if (!devices) return devices.error();
    for (const auto& [device, memory] : *devices) {
        std::vector<EventId> failures;
        for (const EventId failure : memory.failures)
            if (view.passes(failure)) failures.push_back(failure);
        if (failures.empty()) continue;
        std::string evidence = describe_failure(view, device, memory, failures.front());
        if (failures.size() > 1) evidence += "; the first of " + format_count(failures.size()) + " that failed";
        failures.resize(std::min(failures.size(), thresholds::kMostEvents));
        found.push_back(make_risk(FindingKind::OutOfMemory, "high", std::move(evidence), std::move(failures)));
    }
    return found;
}

}  // namespace core
