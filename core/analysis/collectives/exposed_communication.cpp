#include "core/analysis/collectives/collective_analyses.hpp"
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

constexpr std::string_view kExposedParts[] = {"exposed_wait", "exposed_transfer", "exposed_other"};

}  // namespace core::exposed_communication

namespace core {

constinit const Analysis kExposedCommunication{
    .id = "exposed-communication",
    .title = "Exposed communication",
    .summary = "How much of exposed communication is waiting for a late rank, and how much is transfer.",
    .definition = R"(
exposed = exposed_communication of temporal-breakdown: communication runs and no compute. Each collective kernel
whose match is beyond doubt is split into wait and transfer (see waits); where several run, an instant is transfer
if any of them transfers, else wait. exposed_other = the rest: kernels that match nothing, sends, receives,
broadcasts and the like. Terms of the filter on name, class, duration, group or collectives change nothing. The
three add up to exposed to the nanosecond; they are absent on a rank none of whose collectives is matched. share =
exposed_wait / exposed: what a faster network would not help.
)",
    .chart = {.kind = ChartKind::StackedBars, .category = "rank", .measures = exposed_communication::kExposedParts},
    .comparable = true,
    .rank = exposed_communication::rank,
    .columns = exposed_communication::columns,
    .lead = "exposed",
    .of_run = true,
    .in_summary = InSummary::OfRank,
};

}  // namespace core
