#include "core/diff/series/fleet.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/collectives/waiting_words.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/run/run_analysis.hpp"

#include <cmath>

namespace core {
namespace {

class FleetMeasurer {
public:
    FleetMeasurer(const Run& run, const Filter& filter, unsigned threads, const JobContext& context)
        : run_(run), filter_(filter), threads_(threads), context_(context) {}

    Result<Answer> ask(std::string_view id) const {
        const Analysis& analysis = *find_analysis(id);
        const Result<Params> params = make_params(analysis, {});
        if (!params) return params.error();
        return run_analysis(analysis, run_, filter_, *params, threads_, context_);
    }

private:
    const Run& run_;
    const Filter& filter_;
    unsigned threads_;
    const JobContext& context_;
};

std::optional<std::int64_t> mean_of(const Table& table, std::string_view column, std::int64_t steps) {
    const std::size_t at = table.find_column(column);
    Wide sum = 0;
    std::int64_t rows = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, at)) continue;
        sum += table.integer(row, at);
        ++rows;
    }
    if (rows == 0) return std::nullopt;
    return rounded_mean(sum, rows * std::max<std::int64_t>(steps, 1));
}

std::optional<double> mean_share_of_steps(const Table& table, std::string_view column) {
    const std::size_t at = table.find_column(column), step = table.find_column("step");
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, at) || table.absent(row, step) || table.integer(row, step) < 0) continue;
        sum += table.number(row, at);
        ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
}

void tell_culprit(const Table& stragglers, const Run& run, FleetRun& row) {
    for (const Awaited& rank : list_awaited(stragglers, run, false)) {
        if (!rank.flagged) continue;
        row.culprit = "rank " + format_rank(rank.rank);
        row.culprit_wait = rank.wait;
        return;
    }
}

void tell_first_deed(const Table& table, FleetRun& run) {
    const std::size_t saved = table.find_column("saved"), share = table.find_column("saved_share");
    if (table.rows() == 0 || table.absent(0, saved) || table.integer(0, saved) <= 0) return;
    run.finding = std::string(table.text(0, table.find_column("what"))) + ": " +
                  std::string(table.text(0, table.find_column("of")));
    // Share of the step in the same row: that of the replay is a mean, of other steps where they are many.
    const bool has_step = run.step_ns && !table.absent(0, share);
    run.saved = has_step ? std::llround(table.number(0, share) * *run.step_ns) : table.integer(0, saved);
}

std::int64_t count_steps_of_run(const Run& run, const Filter& filter) {
    std::size_t steps = 0;
    for (const RankSlot& rank : run.ranks())
        if (filter.accepts_rank(rank.key)) steps = std::max(steps, rank.trace().steps.size());
    return static_cast<std::int64_t>(steps);
}

Cell cell_of_text(const std::string& text) { return text.empty() ? Cell{} : Cell{std::string_view(text)}; }

// The last run of each program so far.
class Predecessors {
public:
    struct Comparison {
        std::optional<double> change;
        std::string against;
    };

    Comparison compare(const FleetRun& run) {
        const auto same = std::ranges::find_if(
            last_, [&](const FleetRun* before) { return find_other_program(run.program, before->program).empty(); });
        if (same == last_.end()) {
            Comparison none{.change = {}, .against = latest_ ? find_other_program(run.program, latest_->program) : ""};
            last_.push_back(&run);
            latest_ = &run;
            return none;
        }
        const FleetRun& before = **same;
        *same = latest_ = &run;
        if (*before.step_ns <= 0) return {};
        return {.change = *run.step_ns / *before.step_ns - 1, .against = before.name};
    }

private:
    std::vector<const FleetRun*> last_;
    const FleetRun* latest_ = nullptr;
};

}  // namespace

Result<FleetRun> measure_fleet_run(const Run& run, const Filter& filter, std::int64_t warmup, unsigned threads,
                                   const JobContext& context) {
    const SeriesRun measured = measure_run(run, filter, warmup);
    FleetRun row;
    row.name = measured.name;
    row.start_ns = measured.start_ns;
    row.program = find_program(run);
    row.steps = measured.steps;
    row.step_ns = measured.ns;
    const FleetMeasurer measurer(run, filter, threads, context);
    const std::int64_t steps = count_steps_of_run(run, filter);
    const Result<Answer> exposed = measurer.ask("exposed-communication");
    if (!exposed) return exposed.error();
    row.exposed_wait = mean_of(exposed->main(), "exposed_wait", steps);
    row.exposed_transfer = mean_of(exposed->main(), "exposed_transfer", steps);
    const Result<Answer> mfu = measurer.ask("mfu");
    if (!mfu) return mfu.error();
    row.mfu = mean_share_of_steps(mfu->main(), "mfu");
    const Result<Answer> stragglers = measurer.ask("stragglers");
    if (!stragglers) return stragglers.error();
    tell_culprit(stragglers->main(), run, row);
    const Result<Answer> deeds = measurer.ask("what-to-do");
    if (!deeds) return deeds.error();
    tell_first_deed(deeds->main(), row);
    return row;
}

Table fleet_table(std::vector<FleetRun> runs) {
    Table table(
        {{"run", Unit::Text, Role::Key, Facet::None, "its name"},
         {"ranks", Unit::Count, Role::Measure, Facet::None, "that were read"},
         {"steps", Unit::Count, Role::Measure, Facet::None, "steps that count"},
         {"step", Unit::Ns, Role::Measure, Facet::None, "median of its steps on the slowest rank"},
         {"change", Unit::Ratio, Role::Measure, Facet::None,
          "of step, against the run before that is of the same program: as many ranks, the same devices, half of the "
          "kernels' names; 0.1 is 10 % more"},
         {"against", Unit::Text, Role::Info, Facet::None,
          "the run that change is against, or why the run before is of another program"},
         {"exposed_wait", Unit::Ns, Role::Measure, Facet::None, "waiting for a later rank, per rank and step"},
         {"exposed_transfer", Unit::Ns, Role::Measure, Facet::None, "transfer beside no compute, likewise"},
         {"mfu", Unit::Ratio, Role::Measure, Facet::None, "mean of the steps; absent where not known"},
         {"culprit", Unit::Text, Role::Info, Facet::None, "the rank that stragglers flags"},
         {"culprit_wait", Unit::Ns, Role::Measure, Facet::None, "waits of the others rooted in it"},
         {"finding", Unit::Text, Role::Info, Facet::None, "first row of what-to-do"},
         {"saved", Unit::Ns, Role::Measure, Facet::None,
          "by it, per step: saved_share of what-to-do, of step; no more than this"},
         {"failed", Unit::Text, Role::Info, Facet::None, "why the run could not be read"}});
    std::ranges::stable_sort(runs, {},
                             [](const FleetRun& run) { return std::pair(!run.failed.empty(), run.start_ns); });
    Predecessors before;
    for (const FleetRun& run : runs) {
        const bool known = run.failed.empty();
        const auto [change, against] = run.step_ns ? before.compare(run) : Predecessors::Comparison{};
        table.add_row({std::string_view(run.name), known ? Cell{static_cast<std::int64_t>(run.program.ranks)} : Cell{},
                       known ? Cell{static_cast<std::int64_t>(run.steps)} : Cell{},
                       run.step_ns ? Cell{static_cast<std::int64_t>(std::llround(*run.step_ns))} : Cell{},
                       optional_cell(change), cell_of_text(against), optional_cell(run.exposed_wait),
                       optional_cell(run.exposed_transfer), optional_cell(run.mfu), cell_of_text(run.culprit),
                       optional_cell(run.culprit_wait), cell_of_text(run.finding), optional_cell(run.saved),
                       cell_of_text(run.failed)});
    }
    return table;
}

}  // namespace core
