#include "core/collectives/choose_clocks.hpp"
#include "core/base/format.hpp"
#include "core/collectives/waits.hpp"
#include "core/index/summary_rank.hpp"

#include <algorithm>

namespace core {
namespace {

bool is_chosen(const CohortClocks& clocks, ClockChoice choice) {
    if (choice == ClockChoice::Recorded || !clocks.measured) return false;
    return choice == ClockChoice::Aligned || clocks.matters;
}

// run time = recorded run time − offset − drift · (recorded run time − middle).
ClockMap align_map(const ClockMap& recorded, const MeasuredClock& clock, std::int64_t shift) {
    ClockMap map;
    map.offset = recorded.offset - Duration{clock.offset};
    map.drift = -clock.drift;
    map.reference = rank_time(clock.middle - shift);
    return map;
}

ClockFacts facts_of(const Run& run, const MatchedRun& matches) {
    ClockFacts facts{.aligned = is_aligned(run)};
    const auto error_of = [&](const CohortClocks& c) { return facts.aligned ? c.error : c.recorded_error; };
    const auto worst = std::ranges::max_element(matches.clocks, {}, error_of);
    if (worst == matches.clocks.end()) return facts;
    facts.measured = worst->fit.any;
    facts.comparable = worst->measured;
    facts.matters = worst->matters;
    facts.residual = Duration{worst->fit.residual};
    facts.error = Duration{error_of(*worst)};
    facts.refused = worst->refused;
    return facts;
}

}  // namespace

std::optional<ClockChoice> find_clock_choice(std::string_view name) {
    const auto found = std::ranges::find(kClockChoices, name);
    if (found == std::end(kClockChoices)) return std::nullopt;
    return static_cast<ClockChoice>(found - std::begin(kClockChoices));
}

bool has_same_clocks(const Run& a, const Run& b) {
    return std::ranges::equal(a.ranks(), b.ranks(), {}, &RankSlot::clock, &RankSlot::clock);
}

namespace {

RunPtr with_recorded_clocks(const RunPtr& run) {
    if (!is_aligned(*run)) return run;
    RunParts parts = run->parts();
    for (RankSlot& rank : parts.ranks) {
        rank.clock = rank.recorded_clock();
        rank.recorded = std::nullopt;
    }
    RunPtr moved = std::make_shared<const Run>(std::move(parts));
    if (const MatchedRunPtr matches = run->derived().find<MatchedRun>()) moved->derived().put<MatchedRun>(matches);
    return moved;
}

}  // namespace

RunPtr with_clocks(const RunPtr& run, ClockChoice choice) {
    if (choice == ClockChoice::Recorded) return with_recorded_clocks(run);
    if (choice == ClockChoice::Auto && has_kept_clocks(*run)) return run;  // chosen when the summary was written
    const MatchedRunPtr matches = matched(*run);
    RunParts parts = run->parts();
    bool changed = false;
    for (std::uint32_t slot = 0; slot < parts.ranks.size(); ++slot) {
        RankSlot& rank = parts.ranks[slot];
        const ClockMap recorded = rank.recorded_clock();
        const bool aligned = is_chosen(matches->clocks[matches->places[slot].cohort], choice);
        changed = changed || aligned != rank.recorded.has_value();
        rank.clock = aligned ? align_map(recorded, matches->clock(slot), matches->ranks[slot].shift) : recorded;
        rank.recorded = aligned ? std::optional(recorded) : std::nullopt;
    }
    if (!changed) return run;
    RunPtr moved = std::make_shared<const Run>(std::move(parts));
    moved->derived().put<MatchedRun>(matches);
    return moved;
}

bool is_aligned(const Run& run) {
    return std::ranges::any_of(run.ranks(), [](const RankSlot& rank) { return rank.recorded.has_value(); });
}

std::optional<ClockFacts> find_clock_facts(const Run& run) {
    const MatchedRunPtr matches = run.derived().find<MatchedRun>();
    if (!matches) return std::nullopt;
    return facts_of(run, *matches);
}

std::string describe_clocks(const ClockFacts& facts) {
    std::string text = facts.aligned ? "clocks aligned" : "clocks as recorded";
    if (!facts.measured) return text + ", not measured";
    text += ", residual " + format_duration(facts.residual) + ", error " + format_duration(facts.error);
    if (!facts.refused.empty()) text += ", cannot be compared: " + facts.refused;
    return text;
}

std::string describe_clocks(const Run& run) { return describe_clocks(facts_of(run, *matched(run))); }

}  // namespace core
