#pragma once
// How ranks and steps of two runs stand beside each other in lists and charts. No ImGui.

#include "core/diff/align_runs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

// At least one of the two is there.
using RankPair = core::BySide<std::optional<core::RankKey>>;
using StepPair = core::BySide<std::optional<std::int64_t>>;

// What is on either side, every pair of the alignment once: by number, or, where pairs are by order, as the baseline
// has them and then what only the candidate has.
std::vector<RankPair> pair_ranks(const core::RunAlignment&, const core::BySide<std::vector<core::RankKey>>&);
std::vector<StepPair> pair_steps(const core::RunAlignment&, const core::BySide<std::vector<std::int64_t>>&);
bool comes_before(const RankPair&, const RankPair&, bool by_number);

// "3"; "3 | 7" where the runs' numbers differ.
std::string label_of(const RankPair&);
// What a filter has to name to choose the pair; nullopt as in filter_clicks.
std::optional<core::RankKey> named_rank(const core::RunAlignment*, const RankPair&);
std::optional<std::int64_t> named_step(const core::RunAlignment*, const StepPair&);

}  // namespace ui
