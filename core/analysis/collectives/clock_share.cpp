#include "core/analysis/collectives/clock_share.hpp"

#include "core/analysis/collectives/step_work.hpp"
#include "core/analysis/collectives/straggler_sums.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/telemetry/align_log.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace core {
namespace {

constexpr double kLeastExcess = 0.02;
constexpr std::int64_t kLateShare = 100;  // a hundredth of the step for each other rank

struct PeerSum {
    std::int64_t count = 0;
    std::int64_t time = 0;
};

PeerSum median_of_peers(const WorkOfRun& work, std::span<const std::uint32_t> peers, std::int64_t step,
                        std::string_view name) {
    std::vector<std::int64_t> counts, times;
    for (const std::uint32_t slot : peers) {
        const KernelSums& sums = work.ranks[slot].of(step);
        const auto known = sums.find(name);
        counts.push_back(known == sums.end() ? 0 : known->second.count);
        times.push_back(known == sums.end() ? 0 : known->second.time);
    }
    if (counts.empty()) return {};
    return {.count = take_median(counts), .time = take_median(times)};
}

std::vector<std::uint32_t> other_members(const Waits& waits, std::uint32_t collective, std::uint32_t late) {
    std::set<std::uint32_t> slots;
    const MatchedRun& matches = *waits.matched;
    for (const MemberRef ref : matches.members_of(matches.collectives[collective]))
        if (ref.slot != late) slots.insert(ref.slot);
    return {slots.begin(), slots.end()};
}

std::int64_t step_length(const Run& run, std::uint32_t slot) {
    const RankSlot& rank = run.rank(slot);
    const auto steps = std::max<std::int64_t>(std::ssize(rank.trace().steps), 1);
    return rank.index->gpu_window().length().count() / steps;
}

LateSteps find_late_steps(const Run& run) {
    const WaitsPtr waits = waits_of(run);
    const MatchedRun& matches = *waits->matched;
    std::map<std::uint32_t, std::map<std::int64_t, std::int64_t>> rooted;
    for (std::uint32_t number = 0; number < matches.collectives.size(); ++number) {
        if (!waits->times[number].counts) continue;
        for (const RootedWait& one : rooted_waits(*waits, number))
            rooted[one.slot][matches.step_of(matches.collectives[one.root]).value_or(kWholeTrace)] += one.wait;
    }
    LateSteps late;
    for (const auto& [slot, steps] : rooted) {
        const std::int64_t floor = step_length(run, slot) / kLateShare * (std::ssize(run.ranks()) - 1);
        for (const auto& [step, wait] : steps)
            if (wait > floor) late.of_slot[slot].insert(step);
    }
    late.waits = std::move(rooted);
    return late;
}

// The steps' waits with their clocks; from eight steps on, as fewer show nothing.
void correlate_with_clock(const BusySamples& busy, const std::map<std::int64_t, std::int64_t>& waits,
                          Recurrence& recurrence) {
    constexpr std::size_t kLeastSteps = 8;
    std::vector<double> clocks, lateness;
    for (const auto& [step, samples] : busy.steps) {
        const auto wait = waits.find(step);
        if (step == kWholeTrace || samples.empty()) continue;
        const std::set<std::int64_t> one = {step};
        clocks.push_back(mean_clock(busy, &one).clock);
        lateness.push_back(wait == waits.end() ? 0 : static_cast<double>(wait->second));
    }
    if (clocks.size() < kLeastSteps) return;
    recurrence.correlation = correlate(clocks, lateness);
    recurrence.correlated = std::ssize(clocks);
}

// "\u22120.98"
std::string format_correlation(double correlation) {
    const auto hundredths = std::llround(std::abs(correlation) * 100);
    const std::string digits = std::to_string(hundredths % 100);
    return std::string(correlation < 0 ? "\u2212" : "") + std::to_string(hundredths / 100) + "." +
           (digits.size() < 2 ? "0" : "") + digits;
}

// Kernels of a step that take longer than the peers'.
void add_excess(const WorkOfRun& work, std::uint32_t late, std::span<const std::uint32_t> peers, std::int64_t step,
                ClockShare& share) {
    for (const auto& [name, sum] : work.ranks[late].of(step)) {
        const PeerSum peer = median_of_peers(work, peers, step, name);
        const std::int64_t more = std::max<std::int64_t>(sum.count - peer.count, 0);
        const std::int64_t extra = sum.count > 0 ? rounded_mean(Wide{sum.time} * more, sum.count) : 0;
        const std::int64_t excess = sum.time - extra - peer.time;
        const auto peer_time = static_cast<double>(peer.time);
        if (static_cast<double>(excess) <= kLeastExcess * peer_time || peer.time <= 0) continue;
        const double bound = std::max(0.0, share.ratio.ratio - 1) * peer_time;
        share.excess += excess;
        share.explained += std::min(excess, static_cast<std::int64_t>(bound));
        share.time += sum.time - extra;
        share.peer_time += peer.time;
    }
}

// A rank against some others in its late steps: many of its collectives ask for the same.
struct LateClock {
    ClockRatio ratio;
    std::int64_t time = 0, peer_time = 0;  // ns of the kernels with an excess
};
struct LateClocks {
    mutable std::mutex mutex;
    mutable std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, LateClock> known;  // by slot and peers
};

LateClock late_clock_of(const Run& run, std::uint32_t late, const std::vector<std::uint32_t>& peers) {
    const auto clocks = run.derived().get<LateClocks>([] { return std::make_shared<LateClocks>(); });
    {
        const std::lock_guard lock(clocks->mutex);
        const auto known = clocks->known.find({late, peers});
        if (known != clocks->known.end()) return known->second;
    }
    const auto steps = late_steps_of(run);
    const auto own = steps->of_slot.find(late);
    ClockShare all;
    all.ratio = compare_clock(*busy_samples_of(run), late, peers, own == steps->of_slot.end() ? nullptr : &own->second);
    if (all.ratio.known && own != steps->of_slot.end()) {
        const auto work = work_of(run);
        for (const std::int64_t step : own->second) add_excess(*work, late, peers, step, all);
    }
    LateClock clock{.ratio = std::move(all.ratio), .time = all.time, .peer_time = all.peer_time};
    const std::lock_guard lock(clocks->mutex);
    return clocks->known.try_emplace({late, peers}, std::move(clock)).first->second;
}

std::string format_ratio_of(double ratio) {
    const auto thousandths = std::llround(ratio * 1000);
    std::string digits = std::to_string(thousandths % 1000);
    digits.insert(0, 3 - std::min<std::size_t>(digits.size(), 3), '0');
    return std::to_string(thousandths / 1000) + "." + digits;
}

}  // namespace

ClockShare measure_clock_share(const Run& run, const Waits& waits, std::uint32_t collective, std::int64_t step) {
    const std::uint32_t late = waits.lateness[collective].late;
    const std::vector<std::uint32_t> peers = other_members(waits, collective, late);
    const LateClock clock = late_clock_of(run, late, peers);
    ClockShare share{.ratio = clock.ratio};
    if (!share.ratio.known) return share;
    add_excess(*work_of(run), late, peers, step, share);
    share.time = clock.time;
    share.peer_time = clock.peer_time;
    return share;
}

std::string format_clock_share(const ClockShare& share) {
    return format_clock_share(share.ratio, share.kernel_ratio());
}

std::string format_clock_share(const ClockRatio& ratio, double kernel_ratio) {
    constexpr double kSame = 0.03, kLowered = 1.03;
    const auto megahertz = [](double clock) { return format_count(static_cast<std::int64_t>(std::llround(clock))); };
    std::string text = "its SM clock is " + megahertz(ratio.own.clock) + " MHz, the others' " + megahertz(ratio.peers);
    if (!ratio.phrase.empty()) text += ", " + ratio.phrase;
    if (kernel_ratio <= 0) return text;
    const std::string times = format_ratio_of(kernel_ratio);
    if (ratio.ratio < kLowered) return text + "; its kernels take " + times + " times as long at the same clock";
    const std::string clock = format_ratio_of(ratio.ratio);
    const double more = kernel_ratio / ratio.ratio - 1;
    text += "; its kernels take " + times + " times as long, ";
    if (std::abs(more) <= kSame) return text + "which is the clock ratio";
    if (more > 0) return text + "of which the clock makes " + clock;
    return text + "though the clock is " + clock + " times lower: partly memory-bound";
}

std::shared_ptr<const LateSteps> late_steps_of(const Run& run) {
    return run.derived().get<LateSteps>([&] { return std::make_shared<LateSteps>(find_late_steps(run)); });
}

Recurrence recurrence_of(const Run& run, std::uint32_t slot) {
    const RankTrace& trace = run.rank(slot).trace();
    const auto late = late_steps_of(run);
    const auto own = late->of_slot.find(slot);
    const auto waits = late->waits.find(slot);
    Recurrence recurrence{.steps = std::ssize(trace.steps)};
    if (own == late->of_slot.end() || waits == late->waits.end() || trace.steps.empty()) return recurrence;
    std::int64_t wait = 0;
    bool was_late = false;
    for (const Step& step : trace.steps) {
        const bool is_late = own->second.contains(step.number);
        if (is_late) {
            if (!was_late) recurrence.episodes.push_back({.first = step.number, .range = step.range});
            LateEpisode& episode = recurrence.episodes.back();
            episode.last = step.number;
            ++episode.steps;
            episode.range.end = std::max(episode.range.end, step.range.end);
            ++recurrence.late;
            wait += waits->second.at(step.number);
        }
        was_late = is_late;
    }
    recurrence.ends_late = was_late;
    const std::int64_t others = std::ssize(run.ranks()) - 1;
    if (recurrence.late > 0 && others > 0) recurrence.wait = Duration{wait / recurrence.late / others};
    if (may_have_telemetry(run)) correlate_with_clock(busy_samples_of(run)->ranks[slot], waits->second, recurrence);
    return recurrence;
}

std::string format_recurrence(const Recurrence& recurrence) {
    constexpr double kFollows = -0.6;
    if (recurrence.late == 0) return {};
    std::string text = "in " + format_count(recurrence.late) + " of " +
                       format_plural(static_cast<std::uint64_t>(recurrence.steps), "step", "steps");
    const LateEpisode& first = recurrence.episodes.front();
    const LateEpisode& last = recurrence.episodes.back();
    if (recurrence.late < recurrence.steps) {
        if (recurrence.episodes.size() > 1)
            text += ", between steps " + std::to_string(first.first) + " and " + std::to_string(last.last);
        else if (first.first == first.last)
            text += ", step " + std::to_string(first.first);
        else
            text += recurrence.ends_late
                        ? ", from step " + std::to_string(first.first) + " on"
                        : ", steps " + std::to_string(first.first) + " to " + std::to_string(first.last);
    }
    if (recurrence.correlation && *recurrence.correlation <= kFollows)
        text += ", the longer the lower its clock is (correlation " + format_correlation(*recurrence.correlation) +
                " over " + format_plural(static_cast<std::uint64_t>(recurrence.correlated), "step", "steps") + ")";
    return text;
}

std::string format_waited_for(const Run& run, std::uint32_t slot) {
    const Recurrence recurrence = recurrence_of(run, slot);
    if (recurrence.late == 0) return {};
    return "rank " + format_rank(run.rank(slot).key) + " is waited for " + format_duration(recurrence.wait) +
           " a step " + format_recurrence(recurrence);
}

}  // namespace core
