#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/engine/rounding.hpp"

namespace core::exposed_communication {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"exposed", Unit::Ns, Role::Measure, Facet::None, "communication runs and no compute", true},
            {"exposed_wait", Unit::Ns, Role::Measure, Facet::None, "of it waiting for a later rank", true},
            {"exposed_transfer", Unit::Ns, Role::Measure, Facet::None, "of it transferring", true},
            {"exposed_other", Unit::Ns, Role::Measure, Facet::None, "of it kernels that are not split", true},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "exposed_wait / exposed"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Table& table = partial.tables.front().table;
    const RankRange window = view.window();
    if (!view.has_gpu_work() || window.empty()) {
        table.add_row({view.key(), {}, {}, {}, {}, {}});
        return partial;
    }
    const ExposedSplit split = split_exposed(view);
    const auto [wait, transfer, other] = split_cells(split);
    table.add_row({view.key(), split.all, wait, transfer, other,
                   split.known ? ratio_cell(Wide{split.wait}, Wide{split.all}) : Cell{}});
    note_split(split, partial);
    return partial;
}

}  // namespace core::exposed_communication
