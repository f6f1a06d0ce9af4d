#include "ui/model/gap_evidence.hpp"

#include "core/analysis/engine/host_activity.hpp"
#include "core/base/format.hpp"
#include "core/base/short_name.hpp"
#include "ui/model/view.hpp"

namespace ui {

std::optional<GapEvidence> find_gap_evidence(const core::Run& run, RowPlace place) {
    const core::EventRef next = place.event;
    if (!next.valid() || next.slot >= run.ranks().size()) return std::nullopt;
    const core::RankSlot& rank = run.rank(next.slot);
    if (core::index_of(next.event) >= rank.trace().size()) return std::nullopt;
    if (place.range.end > rank.start_of(next.event)) return std::nullopt;
    const core::EventId host = core::find_host_of_gap(rank.trace(), next.event, rank.to_rank(place.range));
    GapEvidence gap{.place = std::move(place), .host = {}};
    if (host != core::kNoEvent) gap.host = {next.slot, host};
    return gap;
}

std::string describe_gap(const core::Run& run, const GapEvidence& gap) {
    const core::RankSlot& rank = run.rank(gap.place.event.slot);
    std::string text =
        "Rank " + core::format_rank(rank.key) + ": GPU idle for " + core::format_duration(gap.place.range.length());
    if (!gap.host.valid()) return text + "; what the host did is not recorded";
    return text + " while the host is in " + core::cut_name(rank.trace().name_text(gap.host.event));
}

void show_gap(const core::Run& run, const GapEvidence& gap, std::vector<Intent>& intents) {
    RowPlace place = gap.place;
    if (gap.host.valid()) place.event = gap.host;
    show_place(place, intents);
    intents.emplace_back(Say{describe_gap(run, gap)});
}

void show_evidence(const core::Run& run, RowPlace place, std::vector<Intent>& intents) {
    if (const std::optional<GapEvidence> gap = find_gap_evidence(run, place)) return show_gap(run, *gap, intents);
    show_place(place, intents);
}

}  // namespace ui
