#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/time/time_analyses.hpp"

namespace core::kernel_types {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"classes", Unit::Text, Role::Key, Facet::Class, "exactly these kernel classes run; idle: none does"},
            {"time", Unit::Ns, Role::Measure, Facet::None, "how long", true, {}, Better::Neither},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "of the rank's window"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    if (!view.has_gpu_work()) return partial;
    const ClassTimes times = view.selection->partition().times(view.window());
    // Busy sets first, ordered by bits; idle is the last row.
    for (std::size_t i = 1; i <= kClassSets; ++i) {
        const std::size_t set = i % kClassSets;
        const Duration time = times.by_set[set];
        if (time == Duration::zero()) continue;
        partial.tables.front().table.add_row(
            {view.key(), name_of_set(static_cast<ClassSet>(set)), time.count(), ratio_cell(time, times.total())});
    }
    return partial;
}

constexpr std::string_view kTime[] = {"time"};

}  // namespace core::kernel_types

namespace core {

constinit const Analysis kKernelTypes{
    .id = "kernel-types",
    .title = "Kernel types",
    .summary = "Each rank's window by the exact set of kernel classes that run at once.",
    .definition = R"(
Every instant of the window (first GPU event to last of the chosen steps and streams, cut to the time range) belongs
to exactly one row: the set of classes with an event running on any stream, joined by + in the order compute,
communication, memory; idle when nothing runs. Sets that never occur are left out. Terms of the filter on name,
class, duration, group or collectives change nothing.

time is in nanoseconds, the rows of a rank add up to its window; share = time / window.

The class of a kernel is decided by the first matching class rule. A rank without GPU events has no rows.
)",
    .chart = {.kind = ChartKind::StackedBars, .category = "rank", .measures = kernel_types::kTime, .series = "classes"},
    .comparable = true,
    .rank = kernel_types::rank,
    .columns = kernel_types::columns,
    .lead = "time",
    .in_summary = InSummary::OfRank,
};

}  // namespace core
