#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/kernel_groups.hpp"
#include "core/analysis/operators/operator_analyses.hpp"

namespace core::kernels {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"class", Unit::Text, Role::Key, Facet::Class, "compute, communication or memory"},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, "the full name"},
            {"count", Unit::Count, Role::Measure, Facet::None, "GPU events of that name", true},
            {"total", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true},
            {"mean", Unit::Ns, Role::Measure, Facet::None, "total / count"},
            {"min", Unit::Ns, Role::Measure, Facet::None, "the shortest"},
            {"max", Unit::Ns, Role::Measure, Facet::None, "the longest"},
            {"stddev", Unit::Ns, Role::Measure, Facet::None, "standard deviation (n-1); 0 for one event"},
            {"share", Unit::Ratio, Role::Measure, Facet::None,
             "of the summed duration of the rank's GPU events, whatever names or classes are chosen"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const Result<std::vector<KernelGroup>> groups = collect_kernel_groups(view, context);
    if (!groups) return groups.error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Wide sum = 0;
    for (const EventId e : view.window_events()) sum += view.visible(e).length().count();
    for (const KernelGroup& group : *groups) {
        const DurationStats& stats = group.stats;
        partial.tables.front().table.add_row({view.key(), name_of(group.kernel_class), view.trace().text(group.name),
                                              stats.count(), clamped(stats.total()), stats.mean(),
                                              stats.least().count(), stats.most().count(), stats.deviation(),
                                              ratio_cell(stats.total(), sum)});
    }
    return partial;
}

constexpr std::string_view kMeanMinMax[] = {"mean", "min", "max"};

}  // namespace core::kernels

namespace core {

constinit const Analysis kKernels{
    .id = "kernels",
    .title = "Kernels",
    .summary = "Count and duration of every kernel, copy and memset by name, per rank.",
    .definition = R"(
One row per rank, class and full name. count and total of the GPU events that pass the filter, mean = total / count,
min, max, standard deviation with n-1 (0 for one event); means and deviations are rounded half up to nanoseconds.
share = total / sum of the durations of all GPU events of the rank in the filter's steps, streams and time, whatever
names or classes it chooses.

Durations are summed, not united: kernels that run at once count in full. A time range cuts events to their visible
part; those it cuts still count. Every name keeps its own row, however many there are.
)",
    .chart = {.kind = ChartKind::ErrorBars, .category = "rank", .measures = kernels::kMeanMinMax, .series = "kernel"},
    .comparable = true,
    .rank = kernels::rank,
    .columns = kernels::columns,
    .lead = "total",
    .in_summary = InSummary::OfRankAndSteps,
};

}  // namespace core
