#pragma once
// Pairs of ranks and of steps of two runs, in the order of lists and charts. No ImGui.

#include "core/diff/align/align_runs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

// At least one side is present.
using RankPair = core::BySide<std::optional<core::RankKey>>;
using StepPair = core::BySide<std::optional<std::int64_t>>;

// Pairs the keys of both sides by the alignment, each pair once: by number or, if the alignment pairs by order, in the
// baseline's order, followed by keys that only the candidate has.
std::vector<RankPair> pair_ranks(const core::RunAlignment&, const core::BySide<std::vector<core::RankKey>>&);
std::vector<StepPair> pair_steps(const core::RunAlignment&, const core::BySide<std::vector<std::int64_t>>&);
bool comes_before(const RankPair&, const RankPair&, bool by_number);

// "3"; "3 | 7" if the runs' numbers differ.
std::string label_of(const RankPair&);
// The key that selects the pair in a filter; nullopt as for find_named_rank in filter_clicks.
std::optional<core::RankKey> named_rank(const core::RunAlignment*, const RankPair&);
std::optional<std::int64_t> named_step(const core::RunAlignment*, const StepPair&);

}  // namespace ui
