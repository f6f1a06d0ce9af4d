#pragma once
// Alignment of two runs: pairs of ranks, pairs of steps, and a pair of times that coincide.

#include "core/diff/align/side.hpp"
#include "core/query/filter.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

struct StepBegin {
    std::int64_t number = 0;
    RunTime begin{};  // earliest over the ranks
    bool operator==(const StepBegin&) const = default;
};

// The two sides of a comparison are captures of runs, or parts of one.
enum class Compares : std::uint8_t { Captures, Ranks, Steps };
std::string_view name_of(Compares);  // "captures"

// Steps pair by number if one run has all the step numbers of the other, else by order; ranks pair by number if they
// share any, else by order. A repeated number is one step. The rest has no partner. Filters use the baseline's numbers;
// filter_for translates. Times of a filter are relative to each side's anchor. Cheap to copy; O(ranks × steps) to
// build.
struct RunAlignment {
    Compares compares = Compares::Captures;
    bool steps_by_number = true;
    bool ranks_by_number = true;
    std::vector<BySide<StepBegin>> steps;  // by the baseline's begin
    std::vector<BySide<RankKey>> ranks;  // by the baseline's key
    BySide<std::vector<std::int64_t>> lone_steps;  // without a partner, by begin
    BySide<std::vector<RankKey>> lone_ranks;
    BySide<RunTime> origin;
    BySide<RunTime> anchor;  // times that coincide
    std::optional<BySide<std::int64_t>> anchor_steps;  // steps that begin at the anchors, if any
    BySide<std::vector<FilterTerm>> within{};  // what every filter of a side has, in its own numbers: its part of a run
    BySide<std::vector<RankKey>> lost{};  // ranks that lost records (lost_ranks.hpp)
    BySide<std::vector<RankKey>>
        left_out{};  // these and their partners: no filter takes them that takes any other rank

    // The filter for one side's run: steps and ranks in its own numbers, times from its origin.
    Filter filter_for(Side side, const Filter&) const;
    // The key that selects a rank of a side in a filter: its baseline number. A rank that only the
    // candidate has keeps its own number, or has none if ranks pair by order and the baseline uses
    // that number.
    std::optional<RankKey> rank_in_filter(Side, RankKey) const;
    // The partner in the other run, or nullopt. O(ranks), O(steps).
    std::optional<RankKey> partner_of_rank(Side from, RankKey) const;
    std::optional<std::int64_t> partner_of_step(Side from, std::int64_t number) const;
    // Converts a time of one side to the other side's clock.
    RunTime across(Side from, RunTime moment) const;
};

// Anchored at the first pair of steps complete in both runs, or at the origins if there is none.
RunAlignment align_runs(const Run& baseline, const Run& candidate);
// The same where steps are those of some ranks of each side alone, so that a step of another capture isn't taken for
// them. Empty: all ranks.
RunAlignment align_runs(const Run& baseline, const Run& candidate, const BySide<std::vector<RankKey>>& of_steps);
// Fills lost and left_out from the pairs of ranks. O(ranks).
void leave_out_lost(RunAlignment&, const BySide<const Run*>&);
// Every step number of these ranks once, sorted by begin. Empty: all ranks.
std::vector<StepBegin> collect_steps(const Run&, std::span<const RankKey>);

// The same pairs with another anchor: the starts of two events, the begins of a pair of steps
// (given by the baseline's number; nullopt if it has no partner), the origins.
RunAlignment anchored_at(RunAlignment, const BySide<RunTime>& moments);
std::optional<RunAlignment> anchored_at_step(RunAlignment, std::int64_t baseline_number);
RunAlignment anchored_at_origins(RunAlignment);

}  // namespace core
