#include "core/analysis/findings/find_clocks.hpp"

#include "core/analysis/collectives/causes.hpp"
#include "core/analysis/collectives/clock_share.hpp"
#include "core/analysis/telemetry/gpu_state.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace core {
namespace {

Finding of_gpu(FindingKind kind, std::string_view severity, std::string evidence, std::string_view advice = {}) {
    return {.kind = kind,
            .gain = 0,
            .evidence = std::move(evidence),
            .events = {},
            .window = 0,
            .places = {},
            .gap = {},
            .advice = advice,
            .risk = severity};
}

std::string_view advice_for(std::string_view reason) {
    if (reason == "thermal")
        return "Heat: look at airflow, fan and seating of that GPU; swap it with another to tell the card from its "
               "slot.";
    if (reason.starts_with("power"))
        return "Power: compare the limits and the supply of the GPUs with nvidia-smi -q -d POWER.";
    if (reason == "clock set by the user") return "The clock is set: nvidia-smi -rgc resets it.";
    return {};
}

std::vector<FindingOfRank> find_low_ranks(std::span<const Partial* const> partials, const Run& run) {
    std::vector<const Partial*> with_members;
    for (const Partial* const partial : partials)
        if (partial->find(kMembersTable) != nullptr) with_members.push_back(partial);
    std::vector<FindingOfRank> found;
    if (with_members.size() < 2) return found;
    for (const auto& [slot, main] : find_main_causes(choose_members(with_members, run))) {
        if (main.cause.name != kClocksCause || !main.cause.clock) continue;
        const std::string recurrence = format_recurrence(recurrence_of(run, slot));
        Finding finding =
            of_gpu(FindingKind::ClocksLowRank, "medium",
                   format_clock_share(*main.cause.clock, main.cause.kernel_ratio) +
                       (recurrence.empty() ? "" : "; late " + recurrence) + "; " + main.cause.clock->source,
                   advice_for(main.cause.clock->reason));
        if (main.cause.example != kNoEvent) finding.events = {main.cause.example};
        found.push_back({slot, std::move(finding)});
    }
    return found;
}

void add_low_all(const Run& run, std::vector<FindingOfRank>& found) {
    const std::optional<LowClocks> low = find_low_clocks(run);
    if (!low) return;
    for (const std::uint32_t slot : low->slots)
        found.push_back({slot, of_gpu(FindingKind::ClocksLowAll, "medium", low->describe(), advice_for(low->reason))});
}

// Memory clocks hardly ever move, so little is enough.
void add_low_memory_clocks(const Run& run, std::vector<FindingOfRank>& found) {
    constexpr double kLeastRatio = 1.02;
    const auto busy = busy_samples_of(run);
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const ClockRatio ratio = compare_clock(*busy, slot, other_ranks_of(run, slot), nullptr);
        if (!ratio.known || ratio.memory_ratio < kLeastRatio) continue;
        const auto megahertz = [](double clock) {
            return format_count(static_cast<std::int64_t>(std::llround(clock)));
        };
        found.push_back(
            {slot, of_gpu(FindingKind::MemoryClockLow, "medium",
                          "its memory clock is " + megahertz(ratio.own.memory_clock) + " MHz, the others' " +
                              megahertz(ratio.own.memory_clock * ratio.memory_ratio) + "; " + ratio.source)});
    }
}

void add_errors(const Run& run, std::vector<FindingOfRank>& found) {
    const auto telemetry = telemetry_of(run);
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const std::string text = describe_gpu_errors(*telemetry, slot);
        if (!text.empty())
            found.push_back(
                {slot, of_gpu(FindingKind::GpuErrors, has_grave_errors(*telemetry, slot) ? "high" : "low", text)});
    }
}

void add_narrow_links(const Run& run, std::vector<FindingOfRank>& found) {
    const auto telemetry = telemetry_of(run);
    const auto width_of = [&](std::size_t slot, Metric metric) {
        const MetricSamples& samples = telemetry->ranks[slot].of(metric);
        return samples.empty() ? 0.0 : std::ranges::max(samples.value);
    };
    double widest = 0;
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot)
        widest = std::max(widest, width_of(slot, Metric::PciWidth));
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const double own = width_of(slot, Metric::PciWidth);
        const double most = std::max(widest, width_of(slot, Metric::PciWidthMax));
        if (own <= 0 || own >= most) continue;
        const auto lanes = [](double width) { return "x" + format_count(static_cast<std::int64_t>(width)); };
        found.push_back({slot, of_gpu(FindingKind::PcieNarrow, "low", "PCIe " + lanes(own) + " of " + lanes(most))});
    }
}

}  // namespace

std::vector<FindingOfRank> find_clocks(std::span<const Partial* const> partials, const Run& run) {
    if (!may_have_telemetry(run)) return {};
    std::vector<FindingOfRank> found = find_low_ranks(partials, run);
    add_low_all(run, found);
    add_low_memory_clocks(run, found);
    add_errors(run, found);
    add_narrow_links(run, found);
    return found;
}

}  // namespace core
