#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/efficiency/efficiency_analyses.hpp"
#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/efficiency/mfu_records.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace core::mfu {
namespace {

constexpr std::size_t kPrecisionParam = 0, kWindowParam = 1, kModelParam = 2;
constexpr std::int64_t kAuto = 0, kGpuWindow = 1;
constexpr std::int64_t kNoStep = -1;  // in the answer, whose keys are never absent
constexpr std::string_view kAllRanks = "all ranks";

// The table of steps is kFlopOfSteps, of MfuStep.
constexpr std::string_view kPrecisionsTable = "precisions of ranks";
struct StepSums {
    std::optional<std::int64_t> duration;
    Wide flop = 0, recomputed = 0, model = 0, time = 0;
    Coverage coverage;
    std::array<Wide, kPrecisions> by_precision{};

    // True if matrix work ran and none of it is known.
    bool is_unknown() const { return coverage.matrix == 0 && coverage.uncounted > 0 && flop == 0; }
};

// ns that the FLOP take at the peaks of their precisions; absent if one has no peak.
std::optional<double> floor_of(const StepSums& sums, const Peaks& peaks) {
    double floor = 0;
    for (std::size_t p = 0; p < kPrecisions; ++p) {
        if (sums.by_precision[p] == 0) continue;
        if (!peaks.flop_per_s[p]) return std::nullopt;
        floor += static_cast<double>(sums.by_precision[p]) / *peaks.flop_per_s[p] * 1e9;
    }
    return floor;
}

// Sums by step. No number: outside every step, or the GPU window.
using Sums = std::map<std::optional<std::int64_t>, StepSums>;

class Collector {
public:
    Collector(const RankView& view, const ChosenCalls& chosen, bool by_step) : view_(view), chosen_(chosen) {
        by_step_ = by_step && !view.trace().steps.empty();
    }

    Result<Sums> run(const JobContext& context) && {
        if (by_step_) {
            for (const Step& step : view_.selection->steps()) {
                const RankRange visible = view_.visible(step.range);
                if (!visible.empty()) add_duration(sums_[step.number], visible.length().count());
            }
        } else if (view_.has_gpu_work()) {
            sums_[std::nullopt].duration = view_.window().length().count();
        }
        add_calls();
        const RankTrace& trace = view_.trace();
        for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
            const WorkKind kind = chosen_.work->kinds[i];
            const EventId e = trace.gpu_events[i];
            if ((kind != WorkKind::Matrix && kind != WorkKind::Uncounted) || !view_.passes(e)) continue;
            const Step* const step = by_step_ ? trace.step_of(e) : nullptr;
            StepSums* const sums = find(step ? std::optional(step->number) : std::nullopt);
            if (sums == nullptr) continue;
            (kind == WorkKind::Matrix ? sums->coverage.matrix : sums->coverage.uncounted) +=
                view_.visible(e).length().count();
        }
        return std::move(sums_);
    }

private:
    static void add_duration(StepSums& sums, std::int64_t more) { sums.duration = sums.duration.value_or(0) + more; }

    // Null for a step that the filter leaves out.
    StepSums* find(std::optional<std::int64_t> step) {
        const auto found = sums_.find(step);
        if (found != sums_.end()) return &found->second;
        return step ? nullptr : &sums_[std::nullopt];
    }

    void add_calls() {
        for (const ChosenCall& one : chosen_.calls) {
            if (!one.executed) continue;
            StepSums* const sums = find(by_step_ ? one.step : std::nullopt);
            if (sums == nullptr) continue;
            const WorkCall& call = chosen_.work->calls[one.call];
            const Wide flop = chosen_.work->work_of(call).flop;
            sums->flop += flop;
            sums->model += chosen_.work->model_flop_of(call);
            if (call.is_recomputed) sums->recomputed += flop;
            sums->time += call.gpu_time.count();
            sums->by_precision[static_cast<std::size_t>(chosen_.work->precision_of(call))] += flop;
        }
    }

    const RankView& view_;
    const ChosenCalls& chosen_;
    bool by_step_ = false;
    Sums sums_;
};

// One row of the answer before it is written.
struct Row {
    std::optional<std::int64_t> rank;  // absent: all ranks, in a table without the column
    std::int64_t step = kNoStep;
    Wide duration = 0, flop = 0, recomputed = 0, model = 0, time = 0;
    Coverage coverage;
    bool has_duration = false, is_unknown = false;
    std::optional<double> floor, peak;  // peak: of all its devices together
    std::optional<double> given_model;  // FLOP of the model as the user gave them
    std::int64_t devices = 1;
};

void add_row(Table& table, const Row& row, std::string_view precision) {
    const double seconds = static_cast<double>(row.duration) / 1e9;
    const bool timed = row.has_duration && row.duration > 0 && !row.is_unknown;
    const auto share = [&](double flop, bool known) {
        return known && row.peak ? Cell{flop / (seconds * *row.peak)} : Cell{};
    };
    const bool has_duration = row.has_duration && row.duration > 0;
    Cell model = row.is_unknown ? Cell{} : Cell{clamped(row.model)};
    Cell model_share = share(static_cast<double>(row.model), timed);
    if (row.given_model) {
        model = Cell{static_cast<std::int64_t>(std::llround(std::min(*row.given_model, 9e18)))};
        model_share = share(*row.given_model, has_duration);
    }
    const auto known = [&](Wide value) { return row.is_unknown ? Cell{} : Cell{clamped(value)}; };
    const auto floor = [&](double ns) { return static_cast<std::int64_t>(std::floor(ns + 0.5)); };
    const bool has_floor = row.floor && !row.is_unknown;
    std::vector<Cell> cells = {
        row.step,
        row.has_duration ? Cell{clamped(row.duration)} : Cell{},
        known(row.flop),
        known(row.recomputed),
        model,
        row.coverage.cell(),
        timed ? Cell{static_cast<double>(row.flop) / seconds} : Cell{},
        row.peak ? Cell{*row.peak} : Cell{},
        share(static_cast<double>(row.flop), timed),
        model_share,
        has_floor ? Cell{floor(*row.floor)} : Cell{},
        has_floor && timed ? Cell{*row.floor / 1e9 / seconds} : Cell{},
        row.time > 0 ? Cell{static_cast<double>(row.flop) / (static_cast<double>(row.time) / 1e9)} : Cell{},
        timed ? ratio_cell(row.time, row.duration) : Cell{},
        row.devices,
        precision.empty() ? Cell{} : Cell{precision}};
    if (row.rank) cells.insert(cells.begin(), Cell{*row.rank});
    table.add_row(cells);
}

// Devices of the whole job: the recorded world size, else the ranks that are opened.
double devices_of(const Run& run) {
    std::size_t devices = run.ranks().size();
    for (const RankSlot& rank : run.ranks())
        devices = std::max(devices, static_cast<std::size_t>(std::max(rank.trace().info.world_size.value_or(0), 0)));
    return static_cast<double>(std::max<std::size_t>(devices, 1));
}

}  // namespace

std::vector<Column> columns() {
    const auto counted = [](Column column) {
        column.counted_by = "counted";
        return column;
    };
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"step", Unit::Step, Role::Key, Facet::Step, "the step; -1: outside every step, or the whole window"},
        {"duration", Unit::Ns, Role::Measure, Facet::None,
         "of the step, or first to last GPU event; of all ranks the longest", true},
        counted({"flop", Unit::Flop, Role::Measure, Facet::None,
                 "floating-point operations of the operators that start in it and launched GPU work", true}),
        counted({"recomputed_flop", Unit::Flop, Role::Measure, Facet::None,
                 "of forward operators that the backward pass ran again", true}),
        counted({"model_flop", Unit::Flop, Role::Measure, Facet::None,
                 "what the model needs: without recomputed calls and attention's second scores", true}),
        {"counted", Unit::Ratio, Role::Measure, Facet::None,
         "share of the time of matrix kernels whose FLOP are known; see flop-coverage"},
        counted({"achieved", Unit::FlopPerSecond, Role::Measure, Facet::None, "flop / duration"}),
        {"peak", Unit::FlopPerSecond, Role::Measure, Facet::None, "of its devices, in the precision shown"},
        counted({"hfu",
                 Unit::Ratio,
                 Role::Measure,
                 Facet::None,
                 "hardware utilisation: flop / (duration x peak)",
                 false,
                 {},
                 Better::More}),
        counted({"mfu",
                 Unit::Ratio,
                 Role::Measure,
                 Facet::None,
                 "model utilisation: model_flop / (duration x peak)",
                 false,
                 {},
                 Better::More}),
        counted({"floor",
                 Unit::Ns,
                 Role::Measure,
                 Facet::None,
                 "the FLOP at the peaks of their own precisions",
                 true,
                 {},
                 Better::Neither}),
        counted({"floor_share", Unit::Ratio, Role::Measure, Facet::None, "floor / duration", false, {}, Better::More}),
        {"matrix_rate", Unit::FlopPerSecond, Role::Measure, Facet::None, "flop / GPU time of the operators counted"},
        {"matrix_share",
         Unit::Ratio,
         Role::Measure,
         Facet::None,
         "that time / duration; matrix_rate x matrix_share = achieved",
         false,
         {},
         Better::More},
        {"devices", Unit::Count, Role::Info, Facet::None, "how many the peak is of"},
        {"precision", Unit::Text, Role::Info, Facet::None, "whose peak it is"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const Result<ChosenCalls> chosen = choose_calls(view, context);
    if (!chosen) return chosen.error();
    Result<Sums> sums = Collector(view, *chosen, params[kWindowParam] != kGpuWindow).run(context);
    if (!sums) return sums.error();
    const Peaks peaks = peaks_of(*view.run, view.slot, kNoEvent);
    Table steps = make_record_table<MfuStep>(), precisions = make_record_table<MfuPrecision>();
    std::array<Wide, kPrecisions> by_precision{};
    for (const auto& [number, one] : *sums) {
        for (std::size_t p = 0; p < kPrecisions; ++p) by_precision[p] += one.by_precision[p];
        add_record(steps, MfuStep{.rank = view.key(),
                                  .step = number,
                                  .duration = one.duration,
                                  .flop = one.is_unknown() ? std::nullopt : std::optional(clamped(one.flop)),
                                  .recomputed = clamped(one.recomputed),
                                  .model = clamped(one.model),
                                  .matrix = clamped(one.coverage.matrix),
                                  .uncounted = clamped(one.coverage.uncounted),
                                  .floor = floor_of(one, peaks),
                                  .time = clamped(one.time)});
    }
    for (std::size_t p = 0; p < kPrecisions; ++p)
        add_record(precisions, MfuPrecision{.rank = view.key(),
                                            .precision = static_cast<std::int64_t>(p),
                                            .flop = clamped(by_precision[p]),
                                            .peak = peaks.flop_per_s[p]});
    std::vector<Excluded> excluded = view.collect_excluded();
    if (const std::string why = explain_no_peaks(*view.run, view.slot); !why.empty() && steps.rows() > 0)
        excluded.push_back({why, steps.rows()});
    return Partial{{{"main", Table(columns())},
                    {std::string(kFlopOfSteps), std::move(steps)},
                    {std::string(kPrecisionsTable), std::move(precisions)}},
                   {},
                   {},
                   std::move(excluded)};
}

namespace {

struct PrecisionSums {
    std::array<Wide, kPrecisions> flop{};
    std::map<std::pair<std::int64_t, std::int64_t>, double> peaks;  // by rank and precision
};

PrecisionSums sum_precisions(std::span<const Partial* const> partials) {
    PrecisionSums sums;
    for (const Partial* const partial : partials) {
        for (const MfuPrecision& one : read_records<MfuPrecision>(*partial->find(kPrecisionsTable))) {
            sums.flop[static_cast<std::size_t>(one.precision)] += one.flop;
            if (one.peak) sums.peaks[{one.rank, one.precision}] = *one.peak;
        }
    }
    return sums;
}

// The precision asked for; with auto, the one with most FLOP, of equal ones the last by name. kAuto without FLOP.
std::int64_t choose_precision(std::int64_t asked, const std::array<Wide, kPrecisions>& flop) {
    std::int64_t chosen = asked;  // choices are auto and the precisions from fp64 on
    if (asked != kAuto) return chosen;
    for (std::size_t p = 0; p < kPrecisions; ++p) {
        const auto best = static_cast<std::size_t>(chosen);
        const bool later = name_of(static_cast<Precision>(p)) > name_of(static_cast<Precision>(best));
        if (flop[p] > 0 && (chosen == kAuto || flop[p] > flop[best] || (flop[p] == flop[best] && later)))
            chosen = static_cast<std::int64_t>(p);
    }
    return chosen;
}

// FLOP of the model that the user gave are not bounded by the FLOP counted.
std::vector<Column> columns_for(bool is_model_given) {
    std::vector<Column> all = columns();
    for (Column& column : all)
        if (is_model_given && (column.name == "model_flop" || column.name == "mfu")) column.counted_by.clear();
    return all;
}

Row row_of(const MfuStep& step) {
    Row row;
    row.rank = step.rank;
    row.step = step.step.value_or(kNoStep);
    row.has_duration = step.duration.has_value();
    row.duration = step.duration.value_or(0);
    row.is_unknown = !step.flop;
    row.flop = step.flop.value_or(0);
    row.recomputed = step.recomputed;
    row.model = step.model;
    row.time = step.time;
    row.coverage = {step.matrix, step.uncounted};
    row.floor = step.floor;
    return row;
}

// Adds another device's row of the same step.
void add_device(const Row& row, Row& sum) {
    const auto add = [](std::optional<double>& total, const std::optional<double>& more) {
        total = total && more ? std::optional(*total + *more) : std::nullopt;
    };
    sum.has_duration = sum.has_duration && row.has_duration;
    sum.duration = std::max(sum.duration, row.duration);
    sum.is_unknown = sum.is_unknown && row.is_unknown;
    sum.flop += row.flop;
    sum.recomputed += row.recomputed;
    sum.model += row.model;
    if (sum.given_model && row.given_model) *sum.given_model += *row.given_model;
    sum.time += row.time;
    sum.coverage += row.coverage;
    add(sum.floor, row.floor);
    add(sum.peak, row.peak);
    ++sum.devices;
}

// As in the table of ranks, whose first column is the rank.
std::vector<Column> all_ranks_columns() {
    std::vector<Column> all = columns();
    all.erase(all.begin());
    return all;
}

// of_ranks: columns of the table of ranks, whose first is the rank.
Table tabulate_all_ranks(std::vector<Column> of_ranks, const std::map<std::int64_t, Row>& by_step,
                         std::string_view precision) {
    of_ranks.erase(of_ranks.begin());
    Table table(std::move(of_ranks));
    for (const auto& [number, of_step] : by_step) {
        Row row = of_step;
        row.rank.reset();
        // Times of several devices: per device, so that shares stay shares.
        if (row.floor) *row.floor /= static_cast<double>(row.devices);
        row.time = row.time / row.devices;
        add_row(table, row, precision);
    }
    return table;
}

}  // namespace

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext& context) {
    const PrecisionSums precisions = sum_precisions(partials);
    const std::int64_t chosen = choose_precision(params[kPrecisionParam], precisions.flop);
    const std::string_view precision =
        chosen == kAuto ? std::string_view() : name_of(static_cast<Precision>(static_cast<std::uint8_t>(chosen)));
    // FLOP of the model that the user gave, for one device and step.
    std::optional<double> given_model;
    if (params[kModelParam] > 0) given_model = static_cast<double>(params[kModelParam]) * 1e6 / devices_of(run);

    Answer answer{
        .tables = {{"main", Table(columns_for(given_model.has_value()))}}, .series = {}, .marks = {}, .excluded = {}};
    std::map<std::int64_t, Row> of_all;  // by step
    std::size_t ranks = 0;
    for (const Partial* const partial : partials) {
        if (context.cancelled()) return cancelled_error();
        const Table& steps = *partial->find(kFlopOfSteps);
        if (steps.rows() > 0) ++ranks;
        for (const MfuStep& step : read_records<MfuStep>(steps)) {
            Row row = row_of(step);
            if (step.step) row.given_model = given_model;
            if (const auto peak = precisions.peaks.find({*row.rank, chosen}); peak != precisions.peaks.end())
                row.peak = peak->second;
            add_row(answer.tables.front().table, row, precision);
            const auto [all, is_first] = of_all.try_emplace(row.step, row);
            if (!is_first) add_device(row, all->second);
        }
    }
    if (ranks > 1)
        answer.tables.push_back(
            {std::string(kAllRanks), tabulate_all_ranks(answer.tables.front().table.columns(), of_all, precision)});
    return answer;
}

constexpr std::string_view kPrecisionChoices[] = {"auto", "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4"};
constexpr std::string_view kStepsOrGpu[] = {"steps", "gpu"};
constexpr std::int64_t kMostMillions = 4'000'000'000'000'000;  // of FLOP
constexpr Param kMfuParams[] = {
    {"precision", "whose peak: auto takes the one with most FLOP in the run", Unit::Count, 0, 0, 8, kPrecisionChoices},
    {"window", "steps: the steps' own ranges; gpu: first GPU event to last", Unit::Count, 0, 0, 1, kStepsOrGpu},
    {"model_flop", "FLOP of one step on all devices: 6*7e9*4194304 or transformer(layers=32,...); 0: as counted",
     Unit::Flop, 0, 0, kMostMillions},
};
constexpr std::string_view kHfu[] = {"hfu", "flop"};
constexpr SecondaryTable kTables[] = {{kAllRanks, all_ranks_columns}};

}  // namespace core::mfu

namespace core {

constinit const Analysis kMfu{
    .id = "mfu",
    .title = "Utilisation of the hardware",
    .summary = "Which share of the device's peak each step of each rank used (HFU), and used for the model (MFU).",
    .definition = R"(
One row per rank and step; one per rank with step -1 for work outside every step, or, in traces without steps and
with window=gpu, for first GPU event to last. With several ranks the table `all ranks` has a row per step: the
longest duration, the sums of FLOP and of peaks.

hfu = flop / (duration x peak); mfu = model_flop / (duration x peak), never above hfu; floor = sum of flop / peak, each of
its own precision; achieved = flop / duration = matrix_rate x matrix_share.

flop: of the operators that start in the step and launched GPU work (op-efficiency). model_flop leaves out recomputed
calls and counts attention's gradient as 4 products to the forward's 2. peak: of the precision with most FLOP in the run
(of equal ones the alphabetically last), for all FLOP of the row.

Example: a step of 2 s computes 900 TFLOP, 300 of them again for the backward pass, on a device of 1000 TFLOP/s: hfu =
900 / (2 x 1000) = 45 %, mfu = 600 / (2 x 1000) = 30 %.

counted: see flop-coverage. Below 0.95 the row's figures are lower bounds and print with ≥; where nothing of the
matrix work is known they are absent. Without a peak of the device and precision hfu and mfu are absent: give it
with --peak.

model_flop=EXPRESSION gives the FLOP of one step on all devices instead, of numbers and + - * / ( ) or
transformer(layers=,hidden=,heads=,kv_heads=,ffn=,gated=,vocab=,seq=,batch=,causal=) = 3 batch seq (layers (4
hidden^2 (1 + kv_heads/heads) + 2 (2 + gated) hidden ffn + 4 seq hidden (1/2 if causal)) + 2 hidden vocab). Then
each row of a step has its share, model_flop / devices of the job, where devices is the recorded world size, else
the ranks opened. Half the pairs with a causal mask is what Megatron and torchtitan count; PaLM and nanoGPT count
all.
)",
    .params = mfu::kMfuParams,
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = mfu::kHfu, .label = "step"},
    .comparable = true,
    .rank = mfu::rank,
    .merge = mfu::merge,
    .columns = mfu::columns,
    .tables = mfu::kTables,
    .lead = "hfu",
};

}  // namespace core
