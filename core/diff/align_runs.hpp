#pragma once
// How two runs line up: which of their ranks and steps are the same, and which two moments.
//
// Steps pair by number when one run has all the step numbers of the other, else by order; ranks pair by
// number when they share any, else by order. A number that occurs twice is one step, as everywhere. What
// is left over has no partner. Whoever compares speaks of the baseline's numbers: filter_for translates.
// Times of a filter count from the anchor of each side. A cheap value: O(ranks × steps) to make.

#include "core/diff/side.hpp"
#include "core/query/filter.hpp"

#include <optional>
#include <vector>

namespace core {

struct StepBegin {
    std::int64_t number = 0;
    RunTime begin{};  // the earliest over the ranks
    bool operator==(const StepBegin&) const = default;
};

struct RunAlignment {
    bool steps_by_number = true;
    bool ranks_by_number = true;
    std::vector<BySide<StepBegin>> steps;           // by the baseline's begin
    std::vector<BySide<RankKey>> ranks;             // by the baseline's key
    BySide<std::vector<std::int64_t>> lone_steps;   // without a partner, by begin
    BySide<std::vector<RankKey>> lone_ranks;
    BySide<RunTime> origin;
    BySide<RunTime> anchor;                         // the moments that are the same
    std::optional<BySide<std::int64_t>> anchor_steps;  // the steps whose begins they are, if they are

    // The filter as that side's run must be asked: steps and ranks by its own numbers, times from its origin.
    Filter filter_for(Side side, const Filter&) const;
    // What a filter names to choose a rank of a side: its number in the baseline; what only the candidate has goes by its
    // own number, or by none where ranks pair by order and a rank of the baseline has that number.
    std::optional<RankKey> rank_in_filter(Side, RankKey) const;
    // What it is in the other run; nothing if it has no partner there. O(ranks), O(steps).
    std::optional<RankKey> partner_of_rank(Side from, RankKey) const;
    std::optional<std::int64_t> partner_of_step(Side from, std::int64_t number) const;
    // A moment of one side on the other side's clock.
    RunTime across(Side from, RunTime moment) const;
};

// Anchored at the first pair of steps that are complete in both runs, or at the origins if there is none.
RunAlignment align_runs(const Run& baseline, const Run& candidate);

// The same pairs with other moments taken for the same: two events' starts, the begins of a pair of steps
// (given by the baseline's number; nullopt if it has no partner), the origins.
RunAlignment anchored_at(RunAlignment, const BySide<RunTime>& moments);
std::optional<RunAlignment> anchored_at_step(RunAlignment, std::int64_t baseline_number);
RunAlignment anchored_at_origins(RunAlignment);

}  // namespace core
