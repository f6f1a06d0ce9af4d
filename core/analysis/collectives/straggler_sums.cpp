#include "core/analysis/collectives/straggler_sums.hpp"

#include "core/analysis/collectives/rank_comparisons.hpp"
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

std::vector<std::int64_t> floors_of(const RankComparisons& comparisons, std::size_t positions, std::int64_t percent,
                                    std::int64_t steps) {
    std::vector<std::int64_t> floors;
    for (std::size_t i = 0; i < positions; ++i) {
        const std::size_t comparison = comparisons.comparison_of(comparisons.rank_of(i));
        const Duration window = comparisons.longest_window(comparison) / std::max<std::int64_t>(1, steps);
        const auto others = static_cast<std::int64_t>(comparisons.ranks_in(comparison) - 1);
        floors.push_back(clamped(Wide{window.count()} * others * percent / 100));
    }
    return floors;
}

StepCount count_flagged_steps(const ChosenMembers& chosen, const RankComparisons& comparisons, std::int64_t percent) {
    StepCount count;
    const auto steps = sum_by_step(chosen);
    for (const auto& [step, sums] : steps)
        if (step) ++count.steps;
    if (count.steps == 0) return count;
    const std::vector<std::int64_t> floors = floors_of(comparisons, chosen.ranks.size(), percent, count.steps);
    for (const auto& [step, sums] : steps) {
        if (!step) continue;
        for (std::size_t i = 0; i < chosen.ranks.size(); ++i) {
            const auto sum = sums.find(chosen.ranks[i].slot);
            if (sum != sums.end() && sum->second.wait_rooted > floors[i]) ++count.flagged[sum->first];
        }
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

struct RankSums {
    bool takes_part = false;
    std::int64_t wait_rooted = 0;
    std::int64_t flagged_steps = 0;
    std::optional<double> score;
};

// Scores of the ranks of one comparison; how many take part, and all that they wait.
struct CompareSums {
    std::size_t taking_part = 0;
    std::int64_t wait = 0;
};

std::vector<CompareSums> score_ranks(const RankComparisons& comparisons, std::vector<RankSums>& ranks) {
    std::vector<CompareSums> sums(comparisons.comparisons());
    std::vector<std::vector<double>> rooted(comparisons.comparisons());
    for (std::size_t r = 0; r < ranks.size(); ++r)
        if (ranks[r].takes_part)
            rooted[comparisons.comparison_of(r)].push_back(static_cast<double>(ranks[r].wait_rooted));
    std::vector<std::vector<std::optional<double>>> scores;
    for (const std::vector<double>& values : rooted) scores.push_back(robust_scores(values));
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (!ranks[r].takes_part) continue;
        const std::size_t comparison = comparisons.comparison_of(r);
        ranks[r].score = scores[comparison][sums[comparison].taking_part++];
    }
    return sums;
}

bool is_flagged(const RankSums& rank, const CompareSums& all, std::int64_t floor, std::int64_t score) {
    if (rank.wait_rooted <= floor) return false;
    const bool most = Wide{rank.wait_rooted} * 2 > all.wait;
    return most || all.taking_part < kLeastForScore || (rank.score && *rank.score * 100 > static_cast<double>(score));
}

// Sets score, flagged and persistent: of a rank, so the same in all its windows.
void judge_ranks(const ChosenMembers& chosen, const StragglerLimits& limits, StragglerRun& run) {
    const RankComparisons comparisons(*chosen.run, chosen.ranks);
    const StepCount steps = count_flagged_steps(chosen, comparisons, limits.floor);
    std::vector<RankSums> ranks(comparisons.ranks());
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        RankSums& rank = ranks[comparisons.rank_of(i)];
        rank.takes_part = rank.takes_part || run.ranks[i].collectives > 0;
        rank.wait_rooted += run.ranks[i].wait_rooted;
        const auto flagged = steps.flagged.find(chosen.ranks[i].slot);
        if (flagged != steps.flagged.end()) rank.flagged_steps += flagged->second;
    }
    std::vector<CompareSums> sums = score_ranks(comparisons, ranks);
    for (const std::uint32_t number : chosen.collectives) {
        const CollectiveTimes& times = chosen.waits->times[number];
        const auto comparison = times.counts ? comparisons.of_slot(*chosen.run, times.last_slot) : std::nullopt;
        if (comparison) sums[*comparison].wait += times.wait;
    }
    const std::vector<std::int64_t> floors = floors_of(comparisons, run.ranks.size(), limits.floor, 1);
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        const std::size_t r = comparisons.rank_of(i);
        run.ranks[i].score = ranks[r].score;
        run.ranks[i].flagged = is_flagged(ranks[r], sums[comparisons.comparison_of(r)], floors[i], limits.score);
        if (steps.steps > 1) run.ranks[i].persistent = ranks[r].flagged_steps * 2 >= steps.steps;
    }
}

}  // namespace

std::vector<std::int64_t> straggler_floors(const ChosenMembers& chosen, std::int64_t percent, std::int64_t steps) {
    return floors_of(RankComparisons(*chosen.run, chosen.ranks), chosen.ranks.size(), percent, steps);
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
    for (const ChosenRank& rank : chosen.ranks) result.ranks.push_back(by_slot[rank.slot]);
    judge_ranks(chosen, limits, result);
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
