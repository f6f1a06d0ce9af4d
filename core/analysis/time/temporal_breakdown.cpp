#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/time/step_windows.hpp"

namespace core::temporal_breakdown {
namespace {

constexpr std::int64_t kWindowOfSteps = 1;  // choices in the registry: gpu, steps

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
    const ExposedSplitter splitter(view, **selection, {ranges.front().begin, ranges.back().end});
    const ExposedSplit split = splitter.in(ranges);
    const auto [wait, transfer, other] = split_cells(split);
    table.add_row({view.key(), times.total().count(), times.compute().count(), times.exposed_communication().count(),
                   times.exposed_memory().count(), times.idle().count(), wait, transfer, other});
    note_split(split, partial);
    return partial;
}

}  // namespace core::temporal_breakdown
