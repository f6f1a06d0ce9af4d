#include "core/analysis/idle_gaps.hpp"

#include <algorithm>
#include <map>

namespace core::idle_breakdown {
namespace {

struct StreamWork {
    std::vector<EventId> events;  // that pass, by start
    RankRange window{};           // of those that pass step and stream
};
using Streams = std::map<std::uint32_t, StreamWork>;  // by track

std::uint32_t track_of(const RankTrace& trace, EventId e) { return trace.lanes[trace.find_lane(e)].track; }

Streams collect_streams(const RankTrace& trace, const Selection& selected, const Selection& placed) {
    Streams streams;
    for (const EventId e : placed.gpu_events()) {
        const auto [at, fresh] = streams.try_emplace(track_of(trace, e));
        RankRange& window = at->second.window;
        window = fresh ? trace.range(e) : RankRange{window.begin, std::max(window.end, trace.end(e))};
    }
    for (const EventId e : selected.gpu_events()) streams[track_of(trace, e)].events.push_back(e);
    return streams;
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"stream", Unit::Stream, Role::Key, Facet::Stream, "the stream"},
            {"cause", Unit::Text, Role::Key, Facet::None, "host_wait, kernel_wait or other"},
            {"count", Unit::Count, Role::Measure, Facet::None, "gaps", true},
            {"time", Unit::Ns, Role::Measure, Facet::None, "sum of the gaps", true},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of all gaps of the stream"},
            {"median", Unit::Ns, Role::Measure, Facet::None, "median gap"},
            {"max", Unit::Ns, Role::Measure, Facet::None, "longest gap"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const Result<SelectionPtr> placed = view.build_selection_of_window(context);
    if (!placed) return placed.error();
    const RankTrace& trace = view.trace();
    std::map<std::int64_t, GapsByCause> by_stream;
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    std::uint64_t without_stream = 0;
    for (const auto& [track, work] : collect_streams(trace, *view.selection, **placed)) {
        if (context.cancelled()) return cancelled_error();
        const std::int64_t stream = trace.tracks[track].stream;
        if (stream < 0) without_stream += work.events.size();
        if (stream < 0 || work.events.empty()) continue;
        for (const Gap& gap : collect_gaps(view, work.events, work.window, Duration{params[0]}))
            by_stream[stream][static_cast<std::size_t>(gap.cause)].add(gap);
    }
    for (auto& [stream, gaps] : by_stream) {
        const Wide all = total_time(gaps);
        for (std::size_t cause = 0; cause < kGapCauses; ++cause) {
            GapSums& sums = gaps[cause];
            if (sums.lengths.empty()) continue;
            const std::int64_t longest = std::ranges::max(sums.lengths);
            partial.tables.front().table.add_row({view.key(), stream, name_of(static_cast<GapCause>(cause)),
                                                  std::ssize(sums.lengths), clamped(sums.time),
                                                  ratio_cell(sums.time, all), take_median(sums.lengths), longest});
        }
    }
    if (without_stream) partial.excluded.push_back({"GPU events without a stream", without_stream});
    return partial;
}

}  // namespace core::idle_breakdown
