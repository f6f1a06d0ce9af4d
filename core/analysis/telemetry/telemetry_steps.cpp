#include "core/analysis/telemetry/busy_samples.hpp"
#include "core/analysis/telemetry/telemetry_analyses.hpp"
#include "core/base/format.hpp"

#include <algorithm>

namespace core::telemetry_steps {
namespace {

std::string format_duties(const ClockMean& mean) {
    constexpr double kLeastDuty = 0.005;
    std::string text;
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
        if (mean.duty[i] < kLeastDuty) continue;
        if (!text.empty()) text += ", ";
        text += std::string(kReasons[i].phrase) + " " + format_ratio(mean.duty[i]);
    }
    return text;
}

Cell number_cell(std::optional<double> value) { return value ? Cell{*value} : Cell{}; }

std::int64_t count_errors(const Telemetry& telemetry, const RankView& view, RankRange range) {
    return std::ranges::count_if(telemetry.errors, [&](const JoinedError& error) {
        return error.slot == view.slot && range.contains(view.rank().to_rank(error.time));
    });
}

class StepRows {
public:
    explicit StepRows(const RankView& view)
        : view_(view),
          busy_(busy_samples_of(*view.run)),
          others_(other_ranks_of(*view.run, static_cast<std::uint32_t>(view.slot))) {}

    // step: kWholeTrace: all of the rank's GPU work.
    void add(Table& table, std::int64_t step, RankRange range) const {
        const std::set<std::int64_t> one = {step};
        const auto slot = static_cast<std::uint32_t>(view_.slot);
        const ClockRatio ratio = compare_clock(*busy_, slot, others_, step == kWholeTrace ? nullptr : &one);
        const RankSamples& samples = busy_->telemetry->ranks[slot];
        const bool has_clock = ratio.own.samples > 0;
        const std::string duties = format_duties(ratio.own);
        const std::string name = step == kWholeTrace ? "all" : std::to_string(step);
        const std::string_view note = ratio.known ? std::string_view(ratio.source) : std::string_view(ratio.why);
        table.add_row({view_.key(), std::string_view(name), ratio.own.samples,
                       has_clock ? Cell{ratio.own.clock} : Cell{}, has_clock ? Cell{ratio.own.least} : Cell{},
                       ratio.known ? Cell{ratio.ratio} : Cell{},
                       ratio.own.memory_clock > 0 ? Cell{ratio.own.memory_clock} : Cell{},
                       ratio.memory_ratio > 0 ? Cell{ratio.memory_ratio} : Cell{}, std::string_view(duties),
                       number_cell(level_of(samples.of(Metric::Power), range).mean),
                       number_cell(level_of(samples.of(Metric::Temperature), range).most),
                       count_errors(*busy_->telemetry, view_, range), note});
    }

private:
    const RankView& view_;
    std::shared_ptr<const BusyRun> busy_;
    std::vector<std::uint32_t> others_;
};

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"step", Unit::Text, Role::Key, Facet::None, "its number; all: of all its GPU work"},
        {"samples", Unit::Count, Role::Measure, Facet::None, "of the SM clock while it computes", true},
        {"clock", Unit::Number, Role::Measure, Facet::None, "MHz, their mean"},
        {"clock_min", Unit::Number, Role::Measure, Facet::None, "MHz, the lowest of them"},
        {"clock_ratio", Unit::Number, Role::Measure, Facet::None, "median of the other ranks' clocks to its own"},
        {"memory_clock", Unit::Number, Role::Measure, Facet::None, "MHz, mean of the same samples"},
        {"memory_ratio", Unit::Number, Role::Measure, Facet::None, "as clock_ratio, of the memory clock"},
        {"reasons", Unit::Text, Role::Info, Facet::None, "why the clock was lowered, with shares of samples"},
        {"power", Unit::Number, Role::Measure, Facet::None, "W, mean of all samples in the step"},
        {"temperature", Unit::Number, Role::Measure, Facet::None, "degrees Celsius, the highest in the step"},
        {"errors", Unit::Count, Role::Measure, Facet::None, "Xid errors in the step", true},
        {"source", Unit::Text, Role::Info, Facet::None, "of the clock and of the GPU's rank, or why it isn't known"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    const std::shared_ptr<const Telemetry> telemetry = telemetry_of(*view.run);
    if (telemetry->logs.empty() && !telemetry->has_samples()) return partial;
    const StepRows rows(view);
    Table& table = partial.tables.front().table;
    rows.add(table, kWholeTrace, view.window());
    for (const Step& step : collect_selected_steps(view.trace(), *view.filter)) {
        if (context.cancelled()) return cancelled_error();
        rows.add(table, step.number, step.range);
    }
    return partial;
}

constexpr std::string_view kClock[] = {"clock"};

}  // namespace core::telemetry_steps

namespace core {

constinit const Analysis kTelemetry{
    .id = "telemetry",
    .title = "Clocks and power",
    .summary =
        "SM clock, power, temperature and errors of each rank's GPU, by step, and the clock against the others'.",
    .definition = R"(
Samples are of counters in the trace (names such as SM Clock (MHz), Power (W)) and of logs next to the traces:
nvidia-smi --query-gpu CSV and dmon, DCGM's exporter text and dcgmi dmon, kernel log lines with NVRM: Xid, JSON lines,
AMD SMI's CSV. A log is found by its content. Times without a zone are tried with offsets from -12:00 to +14:00 in
quarters of an hour: those at which the log covers 80 % of the GPU window; of several the one at which activity
agrees with the traces (correlation 0.6, and 0.2 above the next), else none. A GPU is a rank by the rank in the log,
the GPU map, NCCL's logs, or by its number on the host, if all ranks there have different ones and all are in the
logs; where all ranks say GPU 0, by local rank, if its activity is more like that GPU's than any other's by 0.1.

samples: those between the begin of the first compute kernel of a step and the end of the last, outside communication
alone; not with the reason idle, nor below half of the highest clock while nothing runs. clock_ratio = median over
the other ranks of their mean clock / its own, in the same step: known from 3 samples, if half of the other ranks
(at least two, where there are two) have any. memory_clock and memory_ratio are the same of the memory's. A value
stands until the next sample, three median intervals at most. power of NVML is a mean of the last second: it says a level, not the shape of a step. Filter terms other than those on
ranks and steps are not asked.
)",
    .chart = {.kind = ChartKind::Bars, .category = "step", .measures = telemetry_steps::kClock, .series = "rank"},
    .rank = telemetry_steps::rank,
    .columns = telemetry_steps::columns,
    .lead = "clock_ratio",
    .made_of = "logs or counters of GPU clocks",
    .of_run = true,
    .in_summary = InSummary::OfRun,
};

}  // namespace core
