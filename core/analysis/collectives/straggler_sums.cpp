#include "core/analysis/collectives/straggler_sums.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <cmath>

namespace core {
namespace {

constexpr std::size_t kLeastForScore = 3;

// Steps in which a rank's rooted wait exceeds the step's own floor.
struct StepCount {
    std::int64_t steps = 0;
    std::map<std::uint32_t, std::int64_t> flagged;  // by slot
};

StepCount count_flagged_steps(const ChosenMembers& chosen, std::int64_t percent) {
    StepCount count;
    const auto steps = sum_by_step(chosen);
    std::int64_t numbered = 0;
    for (const auto& [step, sums] : steps)
        if (step) ++numbered;
    if (numbered == 0) return count;
    count.steps = numbered;
    const std::int64_t floor = straggler_floor(chosen.longest_window() / numbered, chosen.ranks.size(), percent);
    for (const auto& [step, sums] : steps) {
        if (!step) continue;
        for (const auto& [slot, sum] : sums)
            if (sum.wait_rooted > floor) ++count.flagged[slot];
    }
    return count;
}

void add_members(const ChosenMembers& chosen, std::uint32_t number, std::vector<StragglerSums>& by_slot) {
    const MatchedRun& matches = chosen.matches();
    const Collective& c = matches.collectives[number];
    const CollectiveTimes& times = chosen.waits->times[number];
    const bool usable = waits_for_last(c.operation) && c.count > 1 && c.doubts == 0;
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
        StragglerSums& sums = by_slot[matches.members[i].slot];
        if (times.counts) {
            ++sums.collectives;
            sums.own_wait += chosen.waits->wait_of(i);
        } else if (usable) {
            ++(times.left_early ? sums.left_early : sums.incomplete);
        }
    }
}

void add_last(const ChosenMembers& chosen, std::uint32_t number, std::vector<StragglerSums>& by_slot) {
    const CollectiveTimes& times = chosen.waits->times[number];
    const Lateness& late = chosen.waits->lateness[number];
    StragglerSums& last = by_slot[times.last_slot];
    last.wait_caused += times.wait;
    last.gain += times.lead;
    if (times.resolved) ++last.last;
    if (times.close) ++last.close;
    if (late.known) last.inherited += late.inherited;
    if (late.known) last.own += late.own;
    for (const RootedWait& rooted : rooted_waits(*chosen.waits, number))
        by_slot[rooted.slot].wait_rooted += rooted.wait;
}

bool is_flagged(const StragglerSums& sums, std::int64_t floor, std::int64_t score, std::int64_t all,
                std::size_t ranks) {
    if (sums.wait_rooted <= floor) return false;
    const bool most = Wide{sums.wait_rooted} * 2 > all;
    return most || ranks < kLeastForScore || (sums.score && *sums.score * 100 > static_cast<double>(score));
}

}  // namespace

std::int64_t straggler_floor(Duration window, std::size_t ranks, std::int64_t percent) {
    const auto others = static_cast<std::int64_t>(ranks > 0 ? ranks - 1 : 0);
    return clamped(Wide{window.count()} * others * percent / 100);
}

std::vector<RootedWait> rooted_waits(const Waits& waits, std::uint32_t collective) {
    std::vector<double> shares;
    for (const BlameShare& share : waits.blame_of(collective)) shares.push_back(share.share);
    const std::vector<std::int64_t> parts = share_out_whole(waits.times[collective].wait, shares);
    std::vector<RootedWait> rooted;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const BlameShare& share = waits.blame_of(collective)[i];
        rooted.push_back({share.slot, share.root, parts[i]});
    }
    return rooted;
}

std::vector<std::optional<double>> robust_scores(const std::vector<double>& values) {
    std::vector<std::optional<double>> scores(values.size());
    if (values.size() < kLeastForScore) return scores;
    std::vector<double> sorted = values;
    const double median = take_median(sorted);
    std::vector<double> away;
    double sum = 0;
    for (const double value : values) {
        away.push_back(std::abs(value - median));
        sum += away.back();
    }
    const double mad = take_median(away);
    const double scale = mad > 0 ? mad / 0.6745 : 1.2533 * sum / static_cast<double>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) scores[i] = scale > 0 ? (values[i] - median) / scale : 0.0;
    return scores;
}

StragglerRun sum_stragglers(const ChosenMembers& chosen, const StragglerLimits& limits) {
    std::vector<StragglerSums> by_slot(chosen.run->ranks().size());
    StragglerRun result;
    for (const std::uint32_t number : chosen.collectives) {
        add_members(chosen, number, by_slot);
        if (!chosen.waits->times[number].counts) continue;
        add_last(chosen, number, by_slot);
        result.wait += chosen.waits->times[number].wait;
        ++result.collectives;
    }
    std::vector<double> rooted;
    for (const ChosenRank& rank : chosen.ranks)
        if (by_slot[rank.slot].collectives > 0) rooted.push_back(static_cast<double>(by_slot[rank.slot].wait_rooted));
    const std::vector<std::optional<double>> scores = robust_scores(rooted);
    const std::int64_t floor = straggler_floor(chosen.longest_window(), chosen.ranks.size(), limits.floor);
    const StepCount steps = count_flagged_steps(chosen, limits.floor);
    std::size_t taking_part = 0;
    for (const ChosenRank& rank : chosen.ranks) {
        StragglerSums sums = by_slot[rank.slot];
        if (sums.collectives > 0) sums.score = scores[taking_part++];
        sums.flagged = is_flagged(sums, floor, limits.score, result.wait, rooted.size());
        if (steps.steps > 1) {
            const auto it = steps.flagged.find(rank.slot);
            sums.persistent = it != steps.flagged.end() && it->second * 2 >= steps.steps;
        }
        result.ranks.push_back(sums);
    }
    return result;
}

std::map<StepKey, std::map<std::uint32_t, StepSums>> sum_by_step(const ChosenMembers& chosen) {
    std::map<StepKey, std::map<std::uint32_t, StepSums>> steps;
    const MatchedRun& matches = chosen.matches();
    for (const std::uint32_t number : chosen.collectives) {
        const CollectiveTimes& times = chosen.waits->times[number];
        if (!times.counts) continue;
        const Collective& c = matches.collectives[number];
        std::map<std::uint32_t, StepSums>& sums = steps[matches.step_of(c)];
        for (std::uint32_t i = c.first; i < c.first + c.count; ++i)
            sums[matches.members[i].slot].own_wait += chosen.waits->wait_of(i);
        sums[times.last_slot].wait_caused += times.wait;
        if (times.resolved) ++sums[times.last_slot].last;
        for (const RootedWait& rooted : rooted_waits(*chosen.waits, number))
            sums[rooted.slot].wait_rooted += rooted.wait;
    }
    return steps;
}

}  // namespace core
