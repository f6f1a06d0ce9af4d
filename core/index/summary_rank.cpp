#include "core/index/summary_rank.hpp"

#include "core/store/sections.hpp"

#include <algorithm>

namespace core {

std::span<const HiddenTimes> hidden_times_of(const RankTrace& trace) {
    return trace.blob().section<HiddenTimes>(section::kSummaryHidden);
}

const SummaryFacts* summary_of(const RankTrace& trace) {
    const auto facts = trace.blob().section<SummaryFacts>(section::kSummaryFacts);
    return facts.size() == 1 ? facts.data() : nullptr;
}

bool is_summary(const Run& run) { return run.summary_resolution().has_value(); }

std::uint64_t count_damaged_ranks(const Run& run) {
    if (run.ranks().empty()) return 0;
    const SummaryFacts* const first = summary_of(run.rank(0).trace());
    const std::uint64_t here = run.ranks().size();
    const bool is_one =
        first && std::ranges::all_of(run.ranks(), [&](const RankSlot& rank) {
            const SummaryFacts* const facts = summary_of(rank.trace());
            return facts && facts->ranks == first->ranks && rank.trace().info.path == run.rank(0).trace().info.path;
        });
    return is_one && first->ranks > here ? first->ranks - here : 0;
}

std::string format_resolution(Duration resolution) {
    constexpr int kShiftOfMillisecond = 20;
    return std::to_string(std::max<std::int64_t>(1, resolution.count() >> kShiftOfMillisecond)) + " ms";
}

bool is_as_summarised(const Run& run, std::size_t slot) {
    const RankSlot& rank = run.rank(slot);
    const SummaryFacts* const facts = summary_of(rank.trace());
    return facts != nullptr && facts->key() == rank.key && facts->clock.map() == rank.clock &&
           facts->origin == ns_of(run.origin());
}

bool has_kept_clocks(const Run& run) {
    return std::ranges::all_of(run.ranks(), [](const RankSlot& rank) {
        const SummaryFacts* const facts = summary_of(rank.trace());
        return facts && facts->clock.map() == rank.clock && (facts->aligned == 1) == rank.recorded.has_value();
    });
}

bool is_left_out(const RankTrace& trace, const Track& track) {
    if (!summary_of(trace)) return false;
    for (const Lane& lane : trace.lanes.subspan(track.first_lane, track.lane_count))
        for (std::size_t e = index_of(lane.first); e < index_of(lane.last); ++e)
            if (!trace.name_text(EventId{static_cast<std::uint32_t>(e)}).ends_with(kEdgeOfSummary)) return false;
    return true;
}

std::uint64_t count_events(const RankTrace& trace) {
    const SummaryFacts* const facts = summary_of(trace);
    return facts ? facts->events : trace.size();
}

std::uint64_t count_gpu_events(const RankTrace& trace) {
    const SummaryFacts* const facts = summary_of(trace);
    return facts ? facts->gpu_events : trace.gpu_events.size();
}

std::vector<std::uint64_t> count_by_category(const RankTrace& trace) {
    std::vector<std::uint64_t> counts(trace.categories.size());
    const auto stored = trace.blob().section<std::uint64_t>(section::kSummaryCategories);
    if (stored.size() == counts.size() && summary_of(trace)) {
        std::ranges::copy(stored, counts.begin());
        return counts;
    }
    for (const std::uint16_t category : trace.category) ++counts[category];
    return counts;
}

std::string_view answers_of_rank(const RankTrace& trace) {
    const auto bytes = trace.blob().section<char>(section::kSummaryAnswers);
    return {bytes.data(), bytes.size()};
}

std::string_view answers_of_run(const Run& run) {
    for (const RankSlot& rank : run.ranks()) {
        const auto bytes = rank.trace().blob().section<char>(section::kSummaryRun);
        if (!bytes.empty()) return {bytes.data(), bytes.size()};
    }
    return {};
}

Error needs_events(const Run& run, std::string_view for_what) {
    return {ErrorCode::NotFound, run.name() + ": a run summary has no single events, " + std::string(for_what) +
                                     ": open the run's traces or index files"};
}

}  // namespace core
