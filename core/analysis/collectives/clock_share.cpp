#include "core/analysis/collectives/clock_share.hpp"

#include "core/analysis/collectives/step_work.hpp"
#include "core/analysis/collectives/straggler_sums.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>

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
    return late;
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
    const auto steps = late_steps_of(run);
    const auto own = steps->of_slot.find(late);
    ClockShare share;
    share.ratio = own == steps->of_slot.end() ? compare_clock(*busy_samples_of(run), late, peers, nullptr)
                                              : compare_clock(*busy_samples_of(run), late, peers, &own->second);
    if (!share.ratio.known) return share;
    const auto work = work_of(run);
    for (const auto& [name, sum] : work->ranks[late].of(step)) {
        const PeerSum peer = median_of_peers(*work, peers, step, name);
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
    return share;
}

std::string format_clock_share(const ClockShare& share) {
    return format_clock_share(share.ratio, share.kernel_ratio());
}

std::string format_clock_share(const ClockRatio& ratio, double kernel_ratio) {
    constexpr double kSame = 0.03, kLowered = 1.03;
    const auto megahertz = [](double clock) { return format_count(static_cast<std::int64_t>(std::llround(clock))); };
    std::string text = "its SM clock is " + megahertz(ratio.own.clock) + " MHz, the others' " + megahertz(ratio.peers);
    if (!ratio.phrase.empty()) text += " (" + ratio.phrase + ")";
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

ClockRatio late_clock_of(const Run& run, std::uint32_t slot) {
    const auto late = late_steps_of(run);
    const auto own = late->of_slot.find(slot);
    if (own == late->of_slot.end()) return {.why = "the rank is not late"};
    std::vector<std::uint32_t> peers;
    for (std::uint32_t other = 0; other < run.ranks().size(); ++other)
        if (run.rank(other).key.number != run.rank(slot).key.number) peers.push_back(other);
    return compare_clock(*busy_samples_of(run), slot, peers, &own->second);
}

}  // namespace core
