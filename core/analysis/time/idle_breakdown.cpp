#include "core/analysis/time/idle_gaps.hpp"

#include <algorithm>
#include <map>

namespace core::idle_breakdown {

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
    const Result<std::vector<TrackGaps>> tracks = collect_track_gaps(view, Duration{params[0]}, context);
    if (!tracks) return tracks.error();
    const RankTrace& trace = view.trace();
    std::map<std::int64_t, GapsByCause> by_stream;
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    std::uint64_t without_stream = 0;
    for (const TrackGaps& work : *tracks) {
        const std::int64_t stream = trace.tracks[work.track].stream;
        if (stream < 0) without_stream += work.events;
        if (stream < 0 || work.events == 0) continue;
        for (const Gap& gap : work.gaps) by_stream[stream][static_cast<std::size_t>(gap.cause)].add(gap);
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
