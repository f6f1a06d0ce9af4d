#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/time/time_analyses.hpp"
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

namespace core {

constinit const Analysis kTrainingLog{
    .id = "training-log",
    .title = "Training log",
    .summary = "Times of iterations over the whole job, as the training program logged them.",
    .definition = R"(
From logs of Megatron in the run ("iteration 100/ 5000 | … | elapsed time per iteration (ms): 812.3 | …"), also from
a job's output that has NCCL's lines as well, and from logs of other programs (NeMo, torchtitan, DeepSpeed, MaxText and
others) whose lines state a step and the time of one step with its unit; or a step, a loss or a rate, and the time of day:
duration is then the time since the line before divided by the steps between. One row per line, in the order of the file; after a restart numbers
repeat. duration is measured by the host of the rank that logs, as the mean of the iterations since the line before,
with evaluation and checkpoints left out or in as the program has it: it is not the steps of a trace, which are in
`steps`. flops is what the program states, by its own formula, for one GPU. The filter is not asked, except that a
log whose rank is known is with that rank, and others with the first.
)",
    .rank = training_log::rank,
    .columns = training_log::columns,
    .lead = "duration",
    .made_of = "training logs",
    .of_run = true,
};

}  // namespace core
