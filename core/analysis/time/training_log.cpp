#include "core/analysis/engine/analysis.hpp"
#include "core/store/logged_iterations.hpp"

namespace core::training_log {

std::vector<Column> columns() {
    return {
        {"source", Unit::Text, Role::Key, Facet::None, "the file"},
        {"row", Unit::Count, Role::Key, Facet::None, "from 1, in the order of the file"},
        {"iteration", Unit::Count, Role::Info, Facet::None, "the last one that the line is about"},
        {"duration", Unit::Ns, Role::Measure, Facet::None, "mean of one iteration since the line before, as logged"},
        {"flops", Unit::FlopPerSecond, Role::Measure, Facet::None, "per GPU, as logged; absent where not said"},
        {"batch", Unit::Count, Role::Info, Facet::None, "samples of an iteration over all ranks"},
        {"skipped", Unit::Count, Role::Measure, Facet::None, "iterations without an update of the weights", true},
        {"nan", Unit::Count, Role::Measure, Facet::None, "iterations whose loss was no number", true}};
}

namespace {

Cell cell_of(std::int64_t value) { return value < 0 ? Cell{} : Cell{value}; }

void add(Table& table, const RankTrace& trace) {
    const std::string source = trace.info.path.filename().string();
    std::int64_t row = 0;
    for (const LoggedIterations& logged : trace.info.training)
        table.add_row({std::string_view(source), ++row, logged.last, logged.duration_ns,
                       logged.flops_per_s < 0 ? Cell{} : Cell{static_cast<double>(logged.flops_per_s)},
                       cell_of(logged.batch), cell_of(logged.skipped), cell_of(logged.nan)});
}

}  // namespace

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    Table& table = partial.tables.front().table;
    add(table, view.trace());
    for (const Companion* const companion : view.run->companions_of(view.slot)) add(table, companion->trace());
    return partial;
}

}  // namespace core::training_log
