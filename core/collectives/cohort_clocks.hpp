#pragma once
// Clocks of one cohort from its matches: the evidence, its acceptance and the error. Internal to core/collectives.

#include "core/collectives/match_keys.hpp"
#include "core/collectives/matched_run.hpp"

namespace core {

ClockFit fit_cohort(const MatchInput&, std::span<const Match>, const std::vector<bool>& shifted, bool wants_drift);
CohortClocks measure_cohort_clocks(const MatchInput&, std::span<const Match>, const std::vector<bool>& shifted);

}  // namespace core
