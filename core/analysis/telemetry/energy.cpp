#include "core/analysis/efficiency/efficiency_analyses.hpp"
#include "core/analysis/efficiency/mfu_records.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/telemetry/rank_samples.hpp"
#include "core/analysis/telemetry/telemetry_analyses.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace core::energy {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr Duration kLeastStep{2'000'000'000};
constexpr Duration kTrailing{500'000'000};  // power of NVML is the mean of the last second
constexpr double kLeastCovered = 0.8;

struct EnergySum {
    double joules = 0;
    double waiting = 0;  // J while the GPU only communicates or idles
    double seconds = 0;  // that samples cover
};

// Trapezoids between neighbouring samples, cut to the range.
EnergySum integrate(const RankSlot& rank, const MetricSamples& power, RankRange range) {
    EnergySum sum;
    const Duration shift = power.source == "trace" ? Duration{0} : kTrailing;
    for (std::size_t i = 0; i + 1 < power.time.size(); ++i) {
        const RankRange whole{power.time[i] - shift, power.time[i + 1] - shift};
        const RankRange part{std::max(whole.begin, range.begin), std::min(whole.end, range.end)};
        if (part.empty() || whole.length() > power.hold) continue;
        const auto at = [&](RankTime t) {
            const double share =
                static_cast<double>((t - whole.begin).count()) / static_cast<double>(whole.length().count());
            return power.value[i] + share * (power.value[i + 1] - power.value[i]);
        };
        const double seconds = static_cast<double>(part.length().count()) * kNanosecond;
        const double joules = (at(part.begin) + at(part.end)) / 2 * seconds;
        const ClassTimes times = rank.index->partition().times(part);
        const auto waits = static_cast<double>((times.idle() + times.exposed_communication()).count());
        sum.joules += joules;
        sum.waiting += joules * waits / static_cast<double>(part.length().count());
        sum.seconds += seconds;
    }
    return sum;
}

// By difference of an energy counter; absent with fewer than two samples in the range.
std::optional<EnergySum> from_counter(const MetricSamples& counter, RankRange range) {
    const auto begin = std::ranges::lower_bound(counter.time, range.begin);
    const auto end = std::ranges::lower_bound(counter.time, range.end);
    if (end - begin < 2) return std::nullopt;
    const auto first = static_cast<std::size_t>(begin - counter.time.begin());
    const auto last = static_cast<std::size_t>(end - counter.time.begin()) - 1;
    const double joules = counter.value[last] - counter.value[first];
    const double seconds = static_cast<double>((counter.time[last] - counter.time[first]).count()) * kNanosecond;
    if (joules < 0 || seconds <= 0) return std::nullopt;  // it was set back
    const double whole = static_cast<double>(range.length().count()) * kNanosecond;
    return EnergySum{.joules = joules / seconds * whole, .waiting = -1, .seconds = whole};
}

// FLOP by step, as mfu counts them, where nearly all matrix work is known; without a step: of all GPU work.
using FlopOfSteps = std::map<std::optional<std::int64_t>, double>;

Result<bool> add_flop(const RankView& view, bool by_step, FlopOfSteps& flops, const JobContext& context) {
    constexpr double kLeastKnown = 0.95;
    const std::pair<std::string, std::string> window[] = {{"window", by_step ? "steps" : "gpu"}};
    const Result<Params> params = make_params(kMfu, window);
    if (!params) return params.error();
    const Result<Partial> counted = kMfu.rank(view, *params, context);
    if (!counted) return counted.error();
    for (const MfuStep& step : read_records<MfuStep>(*counted->find(kFlopOfSteps))) {
        const double matrix = static_cast<double>(step.matrix), all = matrix + static_cast<double>(step.uncounted);
        if (step.flop.value_or(0) <= 0 || matrix < kLeastKnown * all || step.step.has_value() != by_step) continue;
        flops[step.step] = static_cast<double>(*step.flop);
    }
    return true;
}

class EnergyRows {
public:
    EnergyRows(const RankView& view, const RankSamples& samples, const FlopOfSteps& flops)
        : view_(view), samples_(samples), flops_(flops) {}

    // number: of the step; absent: all GPU work.
    void add(Table& table, std::optional<std::int64_t> number, RankRange range) const {
        const MetricSamples& power = samples_.of(Metric::Power);
        const std::optional<EnergySum> counted = from_counter(samples_.of(Metric::Energy), range);
        const EnergySum sum = counted ? *counted : integrate(view_.rank(), power, range);
        const double seconds = static_cast<double>(range.length().count()) * kNanosecond;
        if (seconds <= 0 || sum.seconds < kLeastCovered * seconds) return;
        const double watts = sum.joules / sum.seconds;
        const bool has_waiting = sum.waiting >= 0 && sum.joules > 0;
        const std::string_view source =
            counted ? std::string_view(samples_.of(Metric::Energy).source) : std::string_view(power.source);
        const auto flop = flops_.find(number);
        const bool has_flop = flop != flops_.end() && watts > 0;
        const std::string step = number ? std::to_string(*number) : "all";
        table.add_row({view_.key(), std::string_view(step), watts * seconds, watts,
                       has_waiting ? Cell{sum.waiting / sum.joules} : Cell{},
                       has_flop ? Cell{flop->second / (watts * seconds)} : Cell{}, counted ? Cell{} : Cell{kPowerError},
                       source});
    }

private:
    static constexpr double kPowerError = 0.1;
    const RankView& view_;
    const RankSamples& samples_;
    const FlopOfSteps& flops_;
};

bool has_two_counts(const MetricSamples& counter, RankRange range) {
    return std::ranges::lower_bound(counter.time, range.end) - std::ranges::lower_bound(counter.time, range.begin) >= 2;
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"step", Unit::Text, Role::Key, Facet::None, "its number; all: of all its GPU work"},
            {"energy", Unit::Number, Role::Measure, Facet::None, "J of the GPU", true, {}, Better::Less},
            {"power", Unit::Number, Role::Measure, Facet::None, "W, energy divided by time"},
            {"waiting",
             Unit::Ratio,
             Role::Measure,
             Facet::None,
             "share of energy while it only communicates or idles",
             false,
             {},
             Better::Less},
            {"flop_per_joule",
             Unit::Number,
             Role::Measure,
             Facet::None,
             "FLOP of its matrix work per J; absent where less than 95 % of that time is counted",
             false,
             {},
             Better::More},
            {"error", Unit::Ratio, Role::Info, Facet::None, "of measured power, either way; absent of energy counters"},
            {"source", Unit::Text, Role::Info, Facet::None, "of the samples"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    const std::shared_ptr<const Telemetry> telemetry = telemetry_of(*view.run);
    const RankSamples& samples = telemetry->ranks[view.slot];
    if (samples.of(Metric::Power).empty() && samples.of(Metric::Energy).empty()) return partial;
    FlopOfSteps flops;
    for (const bool by_step : {false, true})
        if (const Result<bool> done = add_flop(view, by_step, flops, context); !done) return done.error();
    const EnergyRows rows(view, samples, flops);
    Table& table = partial.tables.front().table;
    rows.add(table, std::nullopt, view.window());
    for (const Step& step : collect_selected_steps(view.trace(), *view.filter)) {
        if (context.cancelled()) return cancelled_error();
        if (step.range.length() < kLeastStep && !has_two_counts(samples.of(Metric::Energy), step.range)) continue;
        rows.add(table, step.number, step.range);
    }
    return partial;
}

// Rows of the steps that every rank with any row has, added up over the ranks.
std::vector<Column> all_columns() {
    return {{"step", Unit::Text, Role::Key, Facet::None, "its number; all: of all GPU work"},
            {"ranks", Unit::Count, Role::Measure, Facet::None, "whose energy it is"},
            {"energy", Unit::Number, Role::Measure, Facet::None, "J of their GPUs", true, {}, Better::Less},
            {"power", Unit::Number, Role::Measure, Facet::None, "W of all of them"},
            {"waiting",
             Unit::Ratio,
             Role::Measure,
             Facet::None,
             "share of energy while a rank only communicates or idles",
             false,
             {},
             Better::Less},
            {"error", Unit::Ratio, Role::Info, Facet::None, "the largest of the ranks'"}};
}

struct EnergyOfAll {
    std::int64_t ranks = 0, with_waiting = 0;
    double joules = 0, watts = 0, waiting = 0, error = 0;
};

Result<Answer> merge(std::span<const Partial* const> partials, const Run&, const Params&, const JobContext&) {
    Answer answer;
    answer.tables.push_back({"main", Table(columns())});
    answer.tables.push_back({"all ranks", Table(all_columns())});
    std::vector<std::pair<std::string, EnergyOfAll>> sums;  // in the order of their first rank's steps
    std::map<std::string, std::size_t> places;
    std::int64_t ranks = 0;
    for (const Partial* const partial : partials) {
        const Table& table = partial->tables.front().table;
        answer.tables.front().table.append(table);
        ranks += table.rows() > 0 ? 1 : 0;
        const auto at = [&](std::string_view column) { return table.find_column(column); };
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const std::string step(table.text(row, at("step")));
            const auto [place, is_new] = places.try_emplace(step, sums.size());
            if (is_new) sums.emplace_back(step, EnergyOfAll{});
            EnergyOfAll& all = sums[place->second].second;
            const double joules = table.number(row, at("energy"));
            ++all.ranks;
            all.joules += joules;
            all.watts += table.number(row, at("power"));
            if (!table.absent(row, at("error"))) all.error = std::max(all.error, table.number(row, at("error")));
            if (table.absent(row, at("waiting"))) continue;
            ++all.with_waiting;
            all.waiting += joules * table.number(row, at("waiting"));
        }
    }
    for (const auto& [step, all] : sums) {
        if (all.ranks < ranks) continue;
        const bool has_waiting = all.with_waiting == all.ranks && all.joules > 0;
        answer.tables.back().table.add_row({std::string_view(step), all.ranks, all.joules, all.watts,
                                            has_waiting ? Cell{all.waiting / all.joules} : Cell{},
                                            all.error > 0 ? Cell{all.error} : Cell{}});
    }
    return answer;
}

constexpr std::string_view kJoules[] = {"energy"};
constexpr SecondaryTable kTables[] = {{"all ranks", all_columns}};

}  // namespace core::energy

namespace core {

constinit const Analysis kEnergy{
    .id = "energy",
    .title = "Energy",
    .summary = "Energy of each rank's GPU, the share spent waiting, by step where samples allow it.",
    .definition = R"(
From the samples of telemetry. energy = integral of power over the window, or the step, by trapezoids between samples
at most three median intervals apart, with power of logs moved half a second back, as NVML's is a mean of the last
second; where an energy counter has two samples there, its difference, extended to the whole time. A row needs
samples for 80 % of its time. Steps have rows from 2 s on, or with two samples of an energy counter. waiting = share
of energy while the GPU only communicates or idles (a compute kernel counts as work). error: NVML's power is within
10 % on A100 and H100, which sample a quarter of the time (arXiv 2312.02741). flop_per_joule = flop of mfu in the same
time / energy, and has the same error. all ranks: sums over the ranks with any row, of the steps that all of them
have. Tokens are in no log that is read. Filter terms other than those on ranks
and steps are not asked.
)",
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = energy::kJoules},
    .rank = energy::rank,
    .merge = energy::merge,
    .columns = energy::columns,
    .tables = energy::kTables,
    .lead = "energy",
    .made_of = "logs or counters of GPU power",
    .of_run = true,
    .in_summary = InSummary::OfRun,
};

}  // namespace core
