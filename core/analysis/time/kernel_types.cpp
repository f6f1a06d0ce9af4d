#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/rounding.hpp"

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

}  // namespace core::kernel_types
