#include "core/analysis/time/idle_gaps.hpp"
#include "core/analysis/time/time_analyses.hpp"

#include <algorithm>
#include <map>

namespace core::device_idle {
namespace {

std::vector<Column> host_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"cause", Unit::Text, Role::Key, Facet::None, "host_wait, graph_gap, kernel_wait, other or not_recorded"},
            {"host", Unit::Text, Role::Key, Facet::Operator, "what the launching thread did for most of the gap"},
            {"count", Unit::Count, Role::Measure, Facet::None, "gaps"},
            {"time", Unit::Ns, Role::Measure, Facet::None, "sum of the gaps"},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of all idle time of the rank"}};
}

using HostTimes = std::map<std::pair<GapCause, std::string_view>, std::pair<std::int64_t, Wide>>;  // count, time

void add_host_rows(const RankView& view, const HostTimes& times, Wide all, Table& table) {
    std::vector<HostTimes::const_iterator> order;
    for (auto it = times.begin(); it != times.end(); ++it) order.push_back(it);
    std::ranges::stable_sort(order, std::greater{}, [](const auto& it) { return it->second.second; });
    for (const auto& it : order) {
        const auto& [count, time] = it->second;
        table.add_row(
            {view.key(), name_of(it->first.first), it->first.second, count, clamped(time), ratio_cell(time, all)});
    }
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"cause", Unit::Text, Role::Key, Facet::None, "host_wait, graph_gap, kernel_wait, other or not_recorded"},
        {"count", Unit::Count, Role::Measure, Facet::None, "gaps in which no stream of the rank ran anything", true},
        {"time", Unit::Ns, Role::Measure, Facet::None, "sum of the gaps; all causes add up to the idle time", true},
        {"share", Unit::Ratio, Role::Measure, Facet::None, "of the rank's window", false, {}, Better::Less}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}, {"host", Table(host_columns())}}, {}, {}, view.collect_excluded()};
    if (!view.has_gpu_work()) return partial;
    GapsByCause causes;
    HostTimes hosts;
    std::size_t seen = 0;
    for (const Gap& gap : collect_device_gaps(view, Duration{params[0]})) {
        if (seen++ % 256 == 0 && context.cancelled()) return cancelled_error();
        causes[static_cast<std::size_t>(gap.cause)].add(gap);
        auto& [count, time] = hosts[{gap.cause, find_host_activity(view.trace(), gap)}];
        ++count;
        time += gap.visible.length().count();
    }
    for (std::size_t cause = 0; cause < kGapCauses; ++cause) {
        const GapSums& sums = causes[cause];
        if (sums.lengths.empty()) continue;
        partial.tables.front().table.add_row({view.key(), name_of(static_cast<GapCause>(cause)),
                                              std::ssize(sums.lengths), clamped(sums.time),
                                              ratio_cell(sums.time, Wide{view.window().length().count()})});
    }
    add_host_rows(view, hosts, total_time(causes), partial.tables.back().table);
    return partial;
}

constexpr Param kIdleParams[] = {kShortGapParam};
constexpr std::string_view kTime[] = {"time"};
constexpr SecondaryTable kTables[] = {{"host", host_columns}};

}  // namespace core::device_idle

namespace core {

constinit const Analysis kDeviceIdle{
    .id = "device-idle",
    .title = "Idle time of the GPU",
    .summary = "When nothing ran on any stream of a rank: why, and what the host was doing.",
    .definition = R"(
A gap is a stretch of the window (first GPU event to last of the chosen steps and streams, in the time range) in
which no event of these steps and streams runs, whatever names or classes the filter chooses. Cause, judged on the
event that ends the gap: graph_gap if the events before and after it are of one replay of a graph, so that no host
can shorten it; host_wait if its launch call began after the gap did; kernel_wait if the gap is shorter than short_gap
(30 us); other, also where the launch is not in the trace or nothing follows. Before these: not_recorded, if
anything without a GPU event was launched since the event before the gap, or a replay lacks nodes that may have been
there (see graphs): it may have run there.

time in nanoseconds; all causes add up to idle of temporal-breakdown exactly, where that is known. share = time /
window. Causes without a gap have no row.

The table host names what the launching thread did for most of each gap: the innermost operator or runtime call,
such as a synchronisation, or (nothing), outside of any; its share is of the idle time. HTA has no such number.
)",
    .params = device_idle::kIdleParams,
    .chart = {.kind = ChartKind::StackedBars, .category = "rank", .measures = device_idle::kTime, .series = "cause"},
    .comparable = true,
    .rank = device_idle::rank,
    .columns = device_idle::columns,
    .tables = device_idle::kTables,
    .lead = "time",
    .made_of = "idle time between GPU events",
    .in_summary = InSummary::OfRun,
};

}  // namespace core
