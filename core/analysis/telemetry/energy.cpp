#include "core/analysis/telemetry/rank_samples.hpp"
#include "core/analysis/telemetry/telemetry_analyses.hpp"

#include <algorithm>
#include <cmath>

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

class EnergyRows {
public:
    EnergyRows(const RankView& view, const RankSamples& samples) : view_(view), samples_(samples) {}

    void add(Table& table, std::string_view step, RankRange range) const {
        const MetricSamples& power = samples_.of(Metric::Power);
        const std::optional<EnergySum> counted = from_counter(samples_.of(Metric::Energy), range);
        const EnergySum sum = counted ? *counted : integrate(view_.rank(), power, range);
        const double seconds = static_cast<double>(range.length().count()) * kNanosecond;
        if (seconds <= 0 || sum.seconds < kLeastCovered * seconds) return;
        const double watts = sum.joules / sum.seconds;
        const bool has_waiting = sum.waiting >= 0 && sum.joules > 0;
        const std::string_view source =
            counted ? std::string_view(samples_.of(Metric::Energy).source) : std::string_view(power.source);
        table.add_row({view_.key(), step, watts * seconds, watts, has_waiting ? Cell{sum.waiting / sum.joules} : Cell{},
                       counted ? Cell{} : Cell{kPowerError}, source});
    }

private:
    static constexpr double kPowerError = 0.1;
    const RankView& view_;
    const RankSamples& samples_;
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
            {"error", Unit::Ratio, Role::Info, Facet::None, "of measured power, either way; absent of energy counters"},
            {"source", Unit::Text, Role::Info, Facet::None, "of the samples"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    const std::shared_ptr<const Telemetry> telemetry = telemetry_of(*view.run);
    const RankSamples& samples = telemetry->ranks[view.slot];
    if (samples.of(Metric::Power).empty() && samples.of(Metric::Energy).empty()) return partial;
    const EnergyRows rows(view, samples);
    Table& table = partial.tables.front().table;
    rows.add(table, "all", view.window());
    for (const Step& step : collect_selected_steps(view.trace(), *view.filter)) {
        if (context.cancelled()) return cancelled_error();
        if (step.range.length() < kLeastStep && !has_two_counts(samples.of(Metric::Energy), step.range)) continue;
        const std::string name = std::to_string(step.number);
        rows.add(table, name, step.range);
    }
    return partial;
}

constexpr std::string_view kJoules[] = {"energy"};

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
10 % on A100 and H100, which sample a quarter of the time (arXiv 2312.02741). Filter terms other than those on ranks
and steps are not asked.
)",
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = energy::kJoules},
    .rank = energy::rank,
    .columns = energy::columns,
    .lead = "energy",
    .made_of = "logs or counters of GPU power",
    .of_run = true,
};

}  // namespace core
