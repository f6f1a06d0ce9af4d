#include "core/analysis/analysis.hpp"
#include "core/analysis/step_windows.hpp"

namespace core::steps {

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"step", Unit::Step, Role::Key, Facet::Step, "N of ProfilerStep#N"},
        {"start", Unit::Ns, Role::Measure, Facet::None, "from the run's earliest event"},
        {"duration", Unit::Ns, Role::Measure, Facet::None, "of the step's own range; the parts add up to it"},
        {"compute", Unit::Ns, Role::Measure, Facet::None, "some compute kernel runs, whatever else does"},
        {"exposed_communication", Unit::Ns, Role::Measure, Facet::None, "communication runs and no compute"},
        {"exposed_memory", Unit::Ns, Role::Measure, Facet::None, "copies run and neither compute nor communication"},
        {"idle", Unit::Ns, Role::Measure, Facet::None, "no GPU event runs"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    Table& table = partial.tables.front().table;
    const std::vector<StepWindow> steps = collect_step_windows(view);
    const Result<SelectionPtr> selection = view.build_selection_of_all_steps(context);
    if (!selection) return selection.error();
    const bool has_gpu = !view.trace().gpu_events.empty();
    for (const StepWindow& step : steps) {
        const ClassTimes times = times_in((*selection)->partition(), step.ranges);
        const auto part = [&](Duration time) { return has_gpu ? Cell{time.count()} : Cell{}; };
        table.add_row({view.key(), step.number, view.since_origin(step.ranges.front().begin).count(),
                       times.total().count(), part(times.compute()), part(times.exposed_communication()),
                       part(times.exposed_memory()), part(times.idle())});
    }
    if (view.selection->steps().empty()) partial.excluded.push_back({"ranks without a selected step", 1});
    return partial;
}

}  // namespace core::steps
