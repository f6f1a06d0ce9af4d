#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/time/step_windows.hpp"
#include "core/analysis/time/time_analyses.hpp"
#include "core/query/lost_launches.hpp"

#include <algorithm>

namespace core::temporal_breakdown {
namespace {

constexpr std::int64_t kWindowOfSteps = 1;  // choices of the row: gpu, steps

}  // namespace

std::vector<Column> columns() {
    std::vector<Column> columns{
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"window", Unit::Ns, Role::Measure, Facet::None, "the time the parts are taken of; they add up to it", true},
        {"compute", Unit::Ns, Role::Measure, Facet::None, "at least one compute kernel runs", true},
        {"exposed_communication", Unit::Ns, Role::Measure, Facet::None, "communication runs and no compute", true},
        {"exposed_memory", Unit::Ns, Role::Measure, Facet::None, "copies run and neither compute nor communication",
         true},
        {"idle", Unit::Ns, Role::Measure, Facet::None, "no GPU event runs", true}};
    add_split_columns(columns);
    return columns;
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Table& table = partial.tables.front().table;
    const bool of_steps = params[0] == kWindowOfSteps;
    std::vector<RankRange> ranges;
    if (of_steps) {
        for (const StepWindow& step : collect_step_windows(view)) {
            ranges.insert(ranges.end(), step.ranges.begin(), step.ranges.end());
        }
    } else {
        ranges.push_back(view.window());
    }
    if (!view.has_gpu_work() || ranges.empty()) {
        table.add_row({view.key(), {}, {}, {}, {}, {}, {}, {}, {}});
        return partial;
    }
    const Result<SelectionPtr> selection = of_steps ? view.build_selection_of_all_steps(context) : view.selection;
    if (!selection) return selection.error();
    ranges = merge_ranges(std::move(ranges));
    const ClassTimes times = times_in((*selection)->partition(), ranges);
    const LostLaunchesPtr lost = lost_launches_of(*view.rank().index);
    if (std::ranges::any_of(ranges, [&](RankRange range) { return lost->hide(range); })) {
        table.add_row({view.key(), times.total().count(), {}, {}, {}, {}, {}, {}, {}});
        partial.excluded.push_back({std::string(kRanksWithLostLaunches), 1});
        return partial;
    }
    const ExposedSplitter splitter(view, **selection, {ranges.front().begin, ranges.back().end});
    const ExposedSplit split = splitter.in(ranges);
    const auto [wait, transfer, other] = split_cells(split);
    table.add_row({view.key(), times.total().count(), times.compute().count(), times.exposed_communication().count(),
                   times.exposed_memory().count(), times.idle().count(), wait, transfer, other});
    note_split(split, partial);
    return partial;
}

constexpr std::string_view kWindows[] = {"gpu", "steps"};
constexpr Param kBreakdownParams[] = {
    {"window", "gpu: first GPU event to last; steps: the steps' own ranges", Unit::Count, 0, 0, 1, kWindows},
};
constexpr std::string_view kParts[] = {"compute", "exposed_communication", "exposed_memory", "idle"};

}  // namespace core::temporal_breakdown

namespace core {

constinit const Analysis kTemporalBreakdown{
    .id = "temporal-breakdown",
    .title = "Breakdown of time",
    .summary = "Where each rank's time went: computing, waiting for communication, waiting for copies, idle.",
    .definition = R"(
W is the window: from the first GPU event's start to the last one's end among the events that the filter's steps and
streams choose, cut to its time range; with window=steps the union of the chosen steps' own ranges, whatever step
the work in them was launched in.

C, M, P are the unions of all compute, communication and memory events over all streams of the rank.

compute = |C|; exposed_communication = |M without C|; exposed_memory = |P without C and M|; idle = |W| - |C or M or
P|. The four add up to the window exactly. Whole nanoseconds.

The parts are of all this work, whatever names, classes, durations, groups or collectives the filter chooses. Not
counted: synchronisation rows, annotations on GPU rows, CPU operators that carry a stream. A rank without GPU events
has absent cells. The parts are absent, too, where at least 1 % of the launches in the window have no GPU event: what
the GPU did then was not recorded, and is not idle time.

exposed_wait, exposed_transfer and exposed_other are parts of the exposed communication, by `exposed-communication`:
they add up to it exactly, and are absent where no collective of the rank is matched.
)",
    .params = temporal_breakdown::kBreakdownParams,
    .chart = {.kind = ChartKind::StackedBars, .category = "rank", .measures = temporal_breakdown::kParts},
    .comparable = true,
    .rank = temporal_breakdown::rank,
    .columns = temporal_breakdown::columns,
    .lead = "window",
    .of_run = true,
    .in_summary = InSummary::OfRankAndSteps,
};

}  // namespace core
