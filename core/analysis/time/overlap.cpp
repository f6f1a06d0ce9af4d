#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <algorithm>

namespace core::overlap {
namespace {

// 1 if the shorter of the two is fully hidden, 0 if nothing is.
Cell overlap_efficiency(const ClassTimes& times) {
    const Duration compute = times.compute();
    const Duration communication = times.with(KernelClass::Communication);
    const Duration either = compute + times.exposed_communication();
    const Duration shorter = std::min(compute, communication);
    if (shorter == Duration::zero()) return {};
    return ratio_cell(shorter - (either - std::max(compute, communication)), shorter);
}

}  // namespace

std::vector<Column> columns() {
    std::vector<Column> columns{
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"communication", Unit::Ns, Role::Measure, Facet::None, "some communication kernel runs", true},
        {"overlapped",
         Unit::Ns,
         Role::Measure,
         Facet::None,
         "communication and compute run together",
         true,
         {},
         Better::More},
        {"exposed", Unit::Ns, Role::Measure, Facet::None, "communication runs and no compute", true},
        {"overlap",
         Unit::Ratio,
         Role::Measure,
         Facet::None,
         "overlapped / communication; absent without communication",
         false,
         {},
         Better::More},
        {"overlap_efficiency",
         Unit::Ratio,
         Role::Measure,
         Facet::None,
         "of the shorter of compute and communication, the part hidden under the other",
         false,
         {},
         Better::More}};
    add_split_columns(columns);
    return columns;
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Table& table = partial.tables.front().table;
    if (!view.has_gpu_work()) {
        table.add_row({view.key(), {}, {}, {}, {}, {}, {}, {}, {}});
        return partial;
    }
    const ClassTimes times = view.selection->partition().times(view.window());
    const Duration communication = times.with(KernelClass::Communication);
    const Duration overlapped = communication - times.exposed_communication();
    const ExposedSplit split = split_exposed(view);
    const auto [wait, transfer, other] = split_cells(split);
    table.add_row({view.key(), communication.count(), overlapped.count(), times.exposed_communication().count(),
                   ratio_cell(overlapped, communication), overlap_efficiency(times), wait, transfer, other});
    note_split(split, partial);
    return partial;
}

}  // namespace core::overlap
