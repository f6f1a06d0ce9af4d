#include "core/analysis/telemetry/busy_samples.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/telemetry/device_clocks.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr std::int64_t kLeastSamples = 3;

std::map<std::int64_t, RankRange> compute_spans(const RankSlot& rank) {
    const RankTrace& trace = rank.trace();
    std::map<std::int64_t, RankRange> spans;
    for (const EventId e : trace.gpu_events) {
        if (rank.index->classes().of(e) != KernelClass::Compute) continue;
        const Step* const step = trace.step_of(e);
        if (!step && !trace.steps.empty()) continue;
        const RankRange own = trace.range(e);
        const auto [known, added] = spans.try_emplace(step ? step->number : kWholeTrace, own);
        known->second = {std::min(known->second.begin, own.begin), std::max(known->second.end, own.end)};
    }
    return spans;
}

// The value that stands at a time.
std::optional<double> value_at(const MetricSamples& samples, RankTime time) {
    const auto after = std::ranges::upper_bound(samples.time, time);
    if (after == samples.time.begin()) return std::nullopt;
    const auto at = static_cast<std::size_t>(std::distance(samples.time.begin(), after)) - 1;
    if (time - samples.time[at] > samples.hold) return std::nullopt;
    return samples.value[at];
}

std::optional<std::uint64_t> mask_at(const MetricSamples& samples, RankTime time) {
    const std::optional<double> value = value_at(samples, time);
    constexpr double kMostMask = 9e15;
    return value && *value >= 0 && *value < kMostMask ? std::optional(static_cast<std::uint64_t>(*value))
                                                      : std::nullopt;
}

bool is_busy(const RankSlot& rank, RankTime time, double clock, double most, std::optional<std::uint64_t> reasons) {
    if (reasons && (*reasons & kReasonIdle) != 0) return false;
    const ClassSet active = rank.index->partition().active_at(time);
    if (active == 0) return clock * 2 >= most;
    return active != set_of(KernelClass::Communication);
}

BusySamples find_busy(const RankSlot& rank, const RankSamples& samples) {
    BusySamples busy{.steps = {}, .spans = compute_spans(rank)};
    const MetricSamples& clocks = samples.of(Metric::SmClock);
    const MetricSamples& limits = samples.of(Metric::MaxSmClock);
    busy.is_most_stated = !limits.empty();
    for (const double value : busy.is_most_stated ? limits.value : clocks.value)
        busy.most_clock = std::max(busy.most_clock, value);
    if (!busy.is_most_stated) busy.most_clock = std::max(busy.most_clock, highest_clock_of(rank.trace()));
    busy.knows_reasons = !samples.of(Metric::Reasons).empty();
    busy.knows_limit = !samples.of(Metric::PowerLimit).empty();
    for (const auto& [number, span] : busy.spans) {
        auto at = static_cast<std::size_t>(
            std::distance(clocks.time.begin(), std::ranges::lower_bound(clocks.time, span.begin)));
        for (; at < clocks.time.size() && clocks.time[at] < span.end; ++at) {
            const RankTime time = clocks.time[at];
            const std::optional<std::uint64_t> reasons = mask_at(samples.of(Metric::Reasons), time);
            if (clocks.value[at] <= 0 || !is_busy(rank, time, clocks.value[at], busy.most_clock, reasons)) continue;
            const std::optional<double> power = value_at(samples.of(Metric::Power), time);
            const std::optional<double> limit = value_at(samples.of(Metric::PowerLimit), time);
            busy.steps[number].push_back({.time = time,
                                          .clock = clocks.value[at],
                                          .memory_clock = value_at(samples.of(Metric::MemoryClock), time).value_or(0),
                                          .reasons = reasons,
                                          .power_share = power && limit && *limit > 0 ? *power / *limit : 0});
        }
    }
    return busy;
}

struct Peers {
    std::size_t with_samples = 0;
    double clock = 0;  // medians
    double memory_clock = 0;
    std::array<double, kReasons.size()> duty{};
};

Peers measure_peers(const BusyRun& run, std::span<const std::uint32_t> slots, const std::set<std::int64_t>* steps) {
    std::vector<double> clocks, memory;
    std::array<std::vector<double>, kReasons.size()> duties;
    for (const std::uint32_t slot : slots) {
        const ClockMean mean = mean_clock(run.ranks[slot], steps);
        if (mean.samples == 0) continue;
        clocks.push_back(mean.clock);
        if (mean.memory_clock > 0) memory.push_back(mean.memory_clock);
        for (std::size_t i = 0; i < duties.size(); ++i) duties[i].push_back(mean.duty[i]);
    }
    Peers peers{.with_samples = clocks.size()};
    if (clocks.empty()) return peers;
    peers.clock = take_median(clocks);
    if (!memory.empty()) peers.memory_clock = take_median(memory);
    for (std::size_t i = 0; i < duties.size(); ++i) peers.duty[i] = take_median(duties[i]);
    return peers;
}

bool has_samples_in_each(const BusySamples& busy, const std::set<std::int64_t>* steps) {
    const auto enough = [&](std::int64_t step) {
        const auto of_step = busy.steps.find(step);
        return of_step != busy.steps.end() && std::ssize(of_step->second) >= kLeastSamples;
    };
    if (steps) return std::ranges::all_of(*steps, enough);
    return std::ranges::all_of(busy.spans, [&](const auto& span) { return enough(span.first); });
}

// "100 %", "38 %"
std::string format_duty(double duty) { return std::to_string(std::llround(duty * 100)) + " %"; }

void name_reason(const BusySamples& busy, const Peers& peers, ClockRatio& ratio) {
    constexpr double kLeastDuty = 0.5, kMoreThanPeers = 0.25, kNearLimit = 0.97, kLowered = 1.05;
    if (!busy.knows_reasons) {
        const bool is_at_limit = busy.knows_limit && ratio.own.power_share >= kNearLimit && ratio.ratio >= kLowered;
        ratio.reason = is_at_limit ? "power (inferred)" : "not recorded";
        if (is_at_limit) ratio.phrase = "power at " + format_duty(ratio.own.power_share) + " of its limit";
        return;
    }
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
        const double duty = ratio.own.duty[i];
        if (kReasons[i].bit == kReasonIdle || duty < kLeastDuty || duty < peers.duty[i] + kMoreThanPeers) continue;
        ratio.reason = kReasons[i].word;
        ratio.phrase = std::string(kReasons[i].phrase) + " in " + format_duty(duty) + " of samples";
        return;
    }
    ratio.reason = "none stated";
    if (ratio.own.unknown_reasons == 0) return;
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (std::uint64_t bits = ratio.own.unknown_reasons; bits != 0; bits >>= 4) hex.insert(0, 1, kDigits[bits & 15]);
    ratio.phrase = "unknown reason 0x" + hex;
}

}  // namespace

std::shared_ptr<const BusyRun> busy_samples_of(const Run& run) {
    return run.derived().get<BusyRun>([&] {
        auto busy = std::make_shared<BusyRun>();
        busy->telemetry = telemetry_of(run);
        for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
            const RankSamples& samples = busy->telemetry->ranks[slot];
            busy->ranks.push_back(samples.of(Metric::SmClock).empty() ? BusySamples{}
                                                                      : find_busy(run.rank(slot), samples));
        }
        return busy;
    });
}

std::vector<std::uint32_t> other_ranks_of(const Run& run, std::uint32_t slot) {
    std::vector<std::uint32_t> others;
    for (std::uint32_t other = 0; other < run.ranks().size(); ++other)
        if (run.rank(other).key.number != run.rank(slot).key.number) others.push_back(other);
    return others;
}

ClockMean mean_clock(const BusySamples& busy, const std::set<std::int64_t>* steps) {
    ClockMean mean;
    std::int64_t with_memory = 0, with_mask = 0, with_power = 0;
    for (const auto& [number, samples] : busy.steps) {
        if (steps && !steps->contains(number)) continue;
        for (const BusySample& sample : samples) {
            mean.least = mean.samples == 0 ? sample.clock : std::min(mean.least, sample.clock);
            ++mean.samples;
            mean.clock += sample.clock;
            if (sample.memory_clock > 0) {
                mean.memory_clock += sample.memory_clock;
                ++with_memory;
            }
            if (sample.power_share > 0) {
                mean.power_share += sample.power_share;
                ++with_power;
            }
            if (!sample.reasons) continue;
            ++with_mask;
            std::uint64_t unknown = *sample.reasons;
            for (std::size_t i = 0; i < kReasons.size(); ++i) {
                if ((*sample.reasons & kReasons[i].bit) != 0) mean.duty[i] += 1;
                unknown &= ~kReasons[i].bit;
            }
            mean.unknown_reasons |= unknown;
        }
    }
    const auto divide = [](double& sum, std::int64_t count) {
        if (count > 0) sum /= static_cast<double>(count);
    };
    divide(mean.clock, mean.samples);
    divide(mean.memory_clock, with_memory);
    divide(mean.power_share, with_power);
    for (double& duty : mean.duty) divide(duty, with_mask);
    return mean;
}

std::optional<double> mean_of_step(const Run& run, std::uint32_t slot, Metric metric, const Step& step) {
    const auto busy = busy_samples_of(run);
    if (metric != Metric::SmClock) return level_of(busy->telemetry->ranks[slot].of(metric), step.range).mean;
    const std::set<std::int64_t> one = {step.number};
    const ClockMean mean = mean_clock(busy->ranks[slot], &one);
    return mean.samples > 0 ? std::optional(mean.clock) : std::nullopt;
}

ClockRatio compare_clock(const BusyRun& run, std::uint32_t slot, std::span<const std::uint32_t> peers,
                         const std::set<std::int64_t>* steps) {
    ClockRatio ratio;
    const RankSamples& samples = run.telemetry->ranks[slot];
    if (samples.of(Metric::SmClock).empty()) {
        ratio.why = samples.why;
        return ratio;
    }
    const BusySamples& busy = run.ranks[slot];
    ratio.own = mean_clock(busy, steps);
    ratio.is_of_steps = has_samples_in_each(busy, steps);
    ratio.is_measured = samples.is_measured && ratio.is_of_steps;
    ratio.source = samples.of(Metric::SmClock).source +
                   (samples.mapping == "in the trace" ? "" : ", " + samples.mapping) +
                   (ratio.is_of_steps ? "" : ", mean of the run");
    if (ratio.own.samples < kLeastSamples) {
        ratio.why = "clock data: " + format_plural(static_cast<std::uint64_t>(ratio.own.samples), "sample", "samples") +
                    " inside kernels, " + std::to_string(kLeastSamples) + " needed";
        return ratio;
    }
    const Peers others = measure_peers(run, peers, steps);
    const std::size_t needed = std::max<std::size_t>((peers.size() + 1) / 2, peers.size() >= 2 ? 2 : 1);
    if (others.with_samples < needed) {
        ratio.why = "clock data: " + std::to_string(others.with_samples) + " of " + std::to_string(peers.size()) +
                    " other ranks have samples inside kernels, " + std::to_string(needed) + " needed";
        return ratio;
    }
    ratio.known = true;
    ratio.peers = others.clock;
    ratio.ratio = others.clock / ratio.own.clock;
    if (others.memory_clock > 0 && ratio.own.memory_clock > 0)
        ratio.memory_ratio = others.memory_clock / ratio.own.memory_clock;
    name_reason(busy, others, ratio);
    return ratio;
}

}  // namespace core
