#include "core/base/format.hpp"
#include "core/collectives/waits.hpp"

namespace core {
namespace {

bool is_chosen(const SessionClocks& clocks, ClockChoice choice) {
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

}  // namespace

RunPtr with_clocks(const RunPtr& run, ClockChoice choice) {
    const MatchedRunPtr matches = matched(*run);
    RunParts parts = run->parts();
    bool changed = false;
    for (std::uint32_t slot = 0; slot < parts.ranks.size(); ++slot) {
        RankSlot& rank = parts.ranks[slot];
        const ClockMap recorded = rank.recorded_clock();
        const bool aligned = is_chosen(matches->clocks[matches->places[slot].session], choice);
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

std::string describe_clocks(const Run& run) {
    const MatchedRunPtr matches = matched(run);
    std::string text = is_aligned(run) ? "clocks aligned" : "clocks as recorded";
    if (matches->clocks.empty()) return text;
    const bool aligned = is_aligned(run);
    const auto worst = std::ranges::max_element(
        matches->clocks, {}, [&](const SessionClocks& c) { return aligned ? c.error : c.recorded_error; });
    if (!worst->fit.any) return text + ", not measured";
    text += ", residual " + format_duration(Duration{worst->fit.residual});
    text += ", error " + format_duration(Duration{aligned ? worst->error : worst->recorded_error});
    if (!worst->refused.empty()) text += ", cannot be compared: " + worst->refused;
    return text;
}

}  // namespace core
