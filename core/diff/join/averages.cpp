#include "core/diff/join/averages.hpp"

#include "core/analysis/engine/analysis.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <set>

namespace core {
namespace {

using StepsOfRank = std::map<std::int64_t, std::int64_t>;  // by rank cell

bool reaches_into(const Step& step, const std::optional<RankRange>& time) {
    if (!time) return true;
    return std::max(step.range.begin, time->begin) < std::min(step.range.end, time->end);
}

std::int64_t count_steps(const RankSlot& rank, const Run& run, const Filter& filter) {
    std::optional<RankRange> time;
    if (const std::optional<RunRange> range = filter.time_range(run)) time = rank.to_rank(*range);
    std::set<std::int64_t> numbers;
    for (const Step& step : collect_selected_steps(rank.trace(), filter)) {
        if (reaches_into(step, time)) numbers.insert(step.number);
    }
    return static_cast<std::int64_t>(numbers.size());
}

StepsOfRank count_steps(const Run& run, const Filter& filter) {
    StepsOfRank steps;
    for (const RankSlot& rank : run.ranks()) {
        if (filter.accepts_rank(rank.key)) steps[rank.key.packed()] = count_steps(rank, run, filter);
    }
    return steps;
}

bool has_key(std::span<const Column> columns, Facet facet) {
    return std::ranges::any_of(columns,
                               [&](const Column& column) { return column.role == Role::Key && column.facet == facet; });
}

std::int64_t sum_of(const StepsOfRank& steps) {
    std::int64_t sum = 0;
    for (const auto& [rank, count] : steps) sum += count;
    return sum;
}

bool all_have_steps(const StepsOfRank& steps) {
    return std::ranges::all_of(steps, [](const auto& entry) { return entry.second > 0; });
}

std::string least_to_most(const std::set<std::int64_t>& counts) {
    const std::string least = format_count(*counts.begin());
    return counts.size() == 1 ? least : least + " to " + format_count(*counts.rbegin());
}

std::string per(std::string_view what, const std::string& baseline, const std::string& candidate) {
    return "averages per " + std::string(what) + ": " + baseline + " in the baseline, " + candidate +
           " in the candidate";
}

constexpr std::string_view kNoSteps =
    "some ranks have no steps to average over: sums are compared, although the runs may differ in length";

Averages average_each_rank(const BySide<StepsOfRank>& steps, const RunAlignment& alignment) {
    Averages averages;
    BySide<std::set<std::int64_t>> counts;
    bool differ = false;
    for (const BySide<RankKey>& pair : alignment.ranks) {
        const auto baseline = steps.baseline.find(pair.baseline.packed());
        const auto candidate = steps.candidate.find(pair.candidate.packed());
        if (baseline == steps.baseline.end() || candidate == steps.candidate.end()) continue;
        counts.baseline.insert(baseline->second);
        counts.candidate.insert(candidate->second);
        differ = differ || baseline->second != candidate->second;
    }
    if (!differ) return averages;
    if (counts.baseline.contains(0) || counts.candidate.contains(0)) {
        averages.note = kNoSteps;
        return averages;
    }
    averages.used = true;
    averages.note = per("step", least_to_most(counts.baseline), least_to_most(counts.candidate));
    for (const Side side : kSides) {
        for (const auto& [rank, count] : steps[side]) {
            if (count > 0) averages.of_rank[side][rank] = {1, count};
        }
    }
    return averages;
}

// Averages for tables that sum over all ranks.
Averages average_all_ranks(const BySide<StepsOfRank>& steps, bool over_steps) {
    Averages averages;
    const auto ranks_of = [&](Side side) { return static_cast<std::int64_t>(steps[side].size()); };
    const BySide<std::int64_t> ranks{ranks_of(Side::Baseline), ranks_of(Side::Candidate)};
    const BySide<std::int64_t> sums{sum_of(steps.baseline), sum_of(steps.candidate)};
    if (ranks.baseline == 0 || ranks.candidate == 0) return averages;
    const bool ranks_differ = ranks.baseline != ranks.candidate;
    bool steps_differ = over_steps && sums.baseline * ranks.candidate != sums.candidate * ranks.baseline;
    if (steps_differ && !(all_have_steps(steps.baseline) && all_have_steps(steps.candidate))) {
        averages.note = kNoSteps;
        steps_differ = false;
    }
    if (!ranks_differ && !steps_differ) return averages;
    averages.used = true;
    const auto mean = [&](Side side) {
        return format_number(static_cast<double>(sums[side]) / static_cast<double>(ranks[side]));
    };
    const auto text = [&](Side side) {
        if (!steps_differ) return format_count(ranks[side]);
        return ranks_differ ? format_count(ranks[side]) + " x " + mean(side) : mean(side);
    };
    const std::string_view what = !steps_differ ? "rank" : ranks_differ ? "rank and step" : "step";
    averages.note += (averages.note.empty() ? "" : "; ") + per(what, text(Side::Baseline), text(Side::Candidate));
    for (const Side side : kSides) {
        averages.of_run[side] = {ranks_differ ? 1 : ranks[side], steps_differ ? sums[side] : ranks[side]};
    }
    return averages;
}

}  // namespace

Averages choose_averages(std::span<const Column> columns, const BySide<const Run*>& runs, const BySide<Filter>& filters,
                         const RunAlignment& alignment) {
    if (std::ranges::none_of(columns, &Column::adds_up)) return {};
    const BySide<StepsOfRank> steps{count_steps(*runs.baseline, filters.baseline),
                                    count_steps(*runs.candidate, filters.candidate)};
    const bool by_step = has_key(columns, Facet::Step);
    if (!has_key(columns, Facet::Rank)) return average_all_ranks(steps, !by_step);
    return by_step ? Averages{} : average_each_rank(steps, alignment);
}

}  // namespace core
