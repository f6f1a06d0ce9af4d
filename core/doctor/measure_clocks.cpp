#include "core/collectives/matched_run.hpp"
#include "core/doctor/rank_stats.hpp"
#include "core/doctor/thresholds.hpp"

#include <algorithm>

namespace core::doctor {
namespace {

// The cohort that most ranks have evidence in.
const CohortClocks* find_widest(const MatchedRun& matches, std::size_t& cohort) {
    const CohortClocks* widest = nullptr;
    for (std::size_t s = 0; s < matches.clocks.size(); ++s) {
        if (!matches.clocks[s].fit.any) continue;
        if (widest != nullptr && matches.clocks[s].fit.ranks.size() <= widest->fit.ranks.size()) continue;
        widest = &matches.clocks[s];
        cohort = s;
    }
    return widest;
}

}  // namespace

std::optional<ClockSpread> measure_clocks(const Run& run) {
    const MatchedRunPtr matches = matched(run);
    std::size_t cohort = 0;
    const CohortClocks* const widest = find_widest(*matches, cohort);
    if (widest == nullptr) return std::nullopt;
    ClockSpread clocks;
    std::optional<std::uint32_t> part;
    for (std::size_t place = 0; place < widest->fit.ranks.size(); ++place) {
        const MeasuredClock& clock = widest->fit.ranks[place];
        if (clock.collectives < kLeastCollectives || (part && clock.part != *part)) continue;
        const std::uint32_t slot = matches->cohorts[cohort].slots[place];
        if (run.rank(slot).recorded) return std::nullopt;  // aligned: nothing is apart
        part = clock.part;
        clocks.slots.push_back(slot);
        clocks.offsets.emplace_back(clock.offset);
        clocks.collectives = std::max<std::size_t>(clocks.collectives, clock.collectives);
    }
    if (clocks.slots.size() < 2) return std::nullopt;
    const auto [least, most] = std::ranges::minmax(clocks.offsets);
    clocks.spread = most - least;
    clocks.noise = Duration{widest->fit.residual};
    return clocks;
}

}  // namespace core::doctor
