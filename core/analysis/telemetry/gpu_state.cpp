#include "core/analysis/telemetry/gpu_state.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace core {
namespace {

struct XidMeaning {
    std::int64_t number = 0;
    std::string_view words;
    bool is_grave = false;
};

constexpr XidMeaning kXids[] = {
    {13, "program fault"},
    {31, "program fault"},
    {43, "program fault"},
    {45, "program fault"},
    {48, "double-bit ECC", true},
    {63, "row remap or page retired", true},
    {64, "row remap failed", true},
    {74, "NVLink", false},
    {79, "fallen off the bus", true},
    {92, "many single-bit ECC errors"},
    {94, "contained ECC", true},
    {95, "uncontained ECC", true},
    {119, "GSP timeout"},
    {120, "GSP error"},
};

const XidMeaning* find_xid(std::int64_t number) {
    const auto* const found = std::ranges::find(kXids, number, &XidMeaning::number);
    return found == std::end(kXids) ? nullptr : found;
}

// By how much a counter grew; 0 where it did not, or was set back.
std::int64_t growth_of(const MetricSamples& samples) {
    if (samples.value.size() < 2) return 0;
    return static_cast<std::int64_t>(std::max(samples.value.back() - samples.value.front(), 0.0));
}

std::vector<std::uint32_t> slots_with_clock(const BusyRun& busy) {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < busy.ranks.size(); ++slot)
        if (mean_clock(busy.ranks[slot], nullptr).samples >= 3) slots.push_back(slot);
    return slots;
}

}  // namespace

std::string LowClocks::describe() const {
    const auto whole = [](double number) { return format_count(static_cast<std::int64_t>(std::llround(number))); };
    return "all " + format_plural(slots.size(), "rank runs", "ranks run") + " at " + whole(clock) + " of " +
           whole(most) + " MHz" + (phrase.empty() ? "" : ", " + phrase) + ": compute-bound kernels could be up to " +
           format_number(std::round(most / clock * 100) / 100) + " times as fast";
}

std::optional<LowClocks> find_low_clocks(const Run& run) {
    constexpr double kAlike = 0.02, kLow = 0.9, kLeastDuty = 0.5;
    const auto busy = busy_samples_of(run);
    LowClocks low{.slots = slots_with_clock(*busy)};
    if (low.slots.empty() || low.slots.size() < run.ranks().size()) return std::nullopt;
    std::vector<double> clocks;
    std::array<double, kReasons.size()> duty{};
    for (const std::uint32_t slot : low.slots) {
        const ClockMean mean = mean_clock(busy->ranks[slot], nullptr);
        clocks.push_back(mean.clock);
        low.most = std::max(low.most, busy->ranks[slot].most_clock);
        for (std::size_t i = 0; i < duty.size(); ++i) duty[i] += mean.duty[i] / static_cast<double>(low.slots.size());
    }
    std::vector<double> sorted = clocks;
    low.clock = take_median(sorted);
    const bool alike =
        std::ranges::all_of(clocks, [&](double clock) { return std::abs(low.clock / clock - 1) <= kAlike; });
    if (!alike || low.clock >= kLow * low.most) return std::nullopt;
    for (std::size_t i = 0; i < kReasons.size() && low.reason.empty(); ++i) {
        if (duty[i] < kLeastDuty || kReasons[i].bit == kReasonIdle) continue;
        low.reason = kReasons[i].word;
        low.phrase =
            std::string(kReasons[i].phrase) + " in " + std::to_string(std::llround(duty[i] * 100)) + " % of samples";
    }
    return low;
}

std::optional<WorstClock> find_worst_clock(const Run& run) {
    const auto busy = busy_samples_of(run);
    std::optional<WorstClock> worst;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        ClockRatio ratio = compare_clock(*busy, slot, other_ranks_of(run, slot), nullptr);
        if (!ratio.known || (worst && ratio.ratio <= worst->ratio.ratio)) continue;
        worst = WorstClock{.slot = slot, .ratio = std::move(ratio)};
    }
    return worst;
}

std::string describe_gpu_errors(const Telemetry& telemetry, std::uint32_t slot) {
    std::map<std::int64_t, std::uint64_t> xids;
    for (const JoinedError& error : telemetry.errors)
        if (error.slot == slot) ++xids[error.number];
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    for (const auto& [number, count] : xids) {
        const XidMeaning* const meaning = find_xid(number);
        add(format_count(count) + " \u00D7 Xid " + std::to_string(number) +
            (meaning ? " (" + std::string(meaning->words) + ")" : ""));
    }
    const RankSamples& samples = telemetry.ranks[slot];
    if (const std::int64_t grown = growth_of(samples.of(Metric::EccDouble)); grown > 0)
        add(format_plural(static_cast<std::uint64_t>(grown), "uncorrected memory error", "uncorrected memory errors"));
    if (const std::int64_t grown = growth_of(samples.of(Metric::EccSingle)); grown > 0)
        add(format_plural(static_cast<std::uint64_t>(grown), "corrected memory error", "corrected memory errors"));
    if (const std::int64_t grown = growth_of(samples.of(Metric::PciReplays)); grown > 0)
        add(format_plural(static_cast<std::uint64_t>(grown), "PCIe replay", "PCIe replays"));
    return text;
}

bool has_grave_errors(const Telemetry& telemetry, std::uint32_t slot) {
    for (const JoinedError& error : telemetry.errors) {
        const XidMeaning* const meaning = find_xid(error.number);
        if (error.slot == slot && meaning && meaning->is_grave) return true;
    }
    return growth_of(telemetry.ranks[slot].of(Metric::EccDouble)) > 0;
}

}  // namespace core
