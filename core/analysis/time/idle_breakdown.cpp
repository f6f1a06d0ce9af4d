#include "core/analysis/time/idle_gaps.hpp"
#include "core/analysis/time/time_analyses.hpp"

#include <algorithm>
#include <map>

namespace core::idle_breakdown {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"stream", Unit::Stream, Role::Key, Facet::Stream, "the stream"},
            {"cause", Unit::Text, Role::Key, Facet::None, "host_wait, graph_gap, kernel_wait, other or not_recorded"},
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

constexpr Param kIdleParams[] = {kShortGapParam};
constexpr std::string_view kTime[] = {"time"};

}  // namespace core::idle_breakdown

namespace core {

constinit const Analysis kIdleBreakdown{
    .id = "idle-breakdown",
    .title = "Idle time of streams",
    .summary =
        "Why each stream paused between its kernels: the host came late, the next kernel followed shortly, or else.",
    .definition = R"(
A gap before a GPU event is its start - the latest end of all earlier ones on its stream, where positive: overlaps
make no gap. Cause, the first that fits: graph_gap if both are of one replay of a graph, so that no host can shorten
it; host_wait if the event's launch call began after that end; kernel_wait if the gap is shorter than short_gap (30
us); other, also where the launch is not in the trace. Before these: not_recorded, if anything without a GPU event
was launched since the event before the gap, or a replay lacks nodes that may have been there (see graphs): it may
have run there.

time, median and max in nanoseconds; share = time / all gaps of the stream. The events are those the filter's steps
and streams choose, whatever names, classes, durations, groups or collectives it chooses. A time range cuts gaps to
their visible part. Causes without a gap have no row. Streams of one number on several devices of a rank are one
row.

This is not the idle time of the GPU, for which there is device-idle. HTA takes the end of the event just before,
subtracts overlaps from kernel_wait, and lists other with 0 for the first event of a stream.
)",
    .params = idle_breakdown::kIdleParams,
    .chart = {.kind = ChartKind::StackedBars,
              .category = "stream",
              .measures = idle_breakdown::kTime,
              .series = "cause"},
    .comparable = true,
    .rank = idle_breakdown::rank,
    .columns = idle_breakdown::columns,
    .lead = "time",
    .made_of = "gaps between GPU events",
    .in_summary = InSummary::OfRank,
};

}  // namespace core
