#include "ui/timeline/model/clock_lines.hpp"

#include "core/analysis/telemetry/busy_samples.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace ui {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

struct ClockLine {
    core::Metric metric;
    std::string_view name;
    std::string_view value;
};
constexpr ClockLine kClockLines[] = {
    {core::Metric::SmClock, "SM clock", "MHz"},
    {core::Metric::Power, "GPU power", "W"},
    {core::Metric::Temperature, "GPU temperature",
     "\xC2\xB0"
     "C"},
};
// As ClockBand.
constexpr std::array<std::string_view, 6> kBandWords = {"not lowered",  "idle",  "clock set by the user",
                                                        "other reason", "power", "heat"};

double band_of(double value) {
    constexpr double kMostMask = 9e15;
    if (!(value >= 0 && value < kMostMask)) return kGap;
    const auto mask = static_cast<std::uint64_t>(value);
    ClockBand band = ClockBand::None;
    const auto raise = [&](std::uint64_t bits, ClockBand to) {
        if ((mask & bits) != 0) band = std::max(band, to);
    };
    constexpr std::uint64_t kSet = core::kReasonSetting | core::kReasonDisplay;
    constexpr std::uint64_t kPower = core::kReasonPowerCap | core::kReasonPowerBrake;
    constexpr std::uint64_t kHeat = core::kReasonSoftThermal | core::kReasonHardThermal;
    raise(core::kReasonIdle, ClockBand::Idle);
    raise(kSet, ClockBand::Set);
    raise(~(core::kReasonIdle | kSet | kPower | kHeat), ClockBand::Other);
    raise(kPower, ClockBand::Power);
    raise(kHeat, ClockBand::Heat);
    return static_cast<double>(band);
}

// The samples near the trace. One holds for a while; after that nothing is known until the next.
void add_values(const core::MetricSamples& samples, core::RankRange window, SeriesLine::Content& line) {
    const auto at = [&](core::RankTime time) {
        return static_cast<std::size_t>(std::ranges::lower_bound(samples.time, time) - samples.time.begin());
    };
    const std::size_t last = at(window.end);
    for (std::size_t i = at(window.begin - samples.hold); i < last; ++i) {
        line.times.push_back(std::max(samples.time[i], window.begin));
        line.values.push_back(line.words.empty() ? samples.value[i] : band_of(samples.value[i]));
        const core::RankTime until = samples.time[i] + samples.hold;
        if ((i + 1 < samples.time.size() && samples.time[i + 1] <= until) || until >= window.end) continue;
        line.times.push_back(std::max(until, window.begin));
        line.values.push_back(kGap);
    }
    line.end = window.end;
}

void add_step_means(const core::Run& run, std::uint32_t slot, core::Metric metric, SeriesLine::Content& line) {
    const core::RankTrace& trace = run.rank(slot).trace();
    if (trace.steps.size() < 2) return;
    for (const core::Step& step : trace.steps) {
        line.step_times.push_back(step.range.begin);
        line.step_values.push_back(core::mean_of_step(run, slot, metric, step).value_or(kGap));
        line.step_times.push_back(step.range.end);
        line.step_values.push_back(kGap);
    }
    if (!std::ranges::is_sorted(line.step_times)) line.step_times.clear(), line.step_values.clear();
    const core::Duration all = trace.steps.back().range.end - trace.steps.front().range.begin;
    line.mean_step = all / std::ssize(trace.steps);
}

// The highest value of any rank within its trace: the scale of all.
double find_top(const core::Telemetry& telemetry, const core::Run& run, core::Metric metric) {
    double top = 0;
    for (std::uint32_t slot = 0; slot < telemetry.ranks.size(); ++slot) {
        const core::Level level = core::level_of(telemetry.ranks[slot].of(metric), run.rank(slot).trace().window);
        top = std::max(top, level.most.value_or(0));
    }
    return top;
}

}  // namespace

void add_clock_lines(const core::Run& run, std::uint32_t slot, std::size_t first_tint, std::vector<SeriesLine>& lines) {
    if (!core::may_have_telemetry(run)) return;
    const std::shared_ptr<const core::Telemetry> telemetry = core::telemetry_of(run);
    const core::RankSamples& samples = telemetry->ranks[slot];
    const core::RankRange window = run.rank(slot).trace().window;
    for (const ClockLine& source : kClockLines) {
        SeriesLine::Content line{.name = std::string(source.name),
                                 .value = source.value,
                                 .unit = core::Unit::Number,
                                 .tint = first_tint + static_cast<std::size_t>(&source - kClockLines)};
        add_values(samples.of(source.metric), window, line);
        if (line.times.empty()) continue;
        line.least_top = find_top(*telemetry, run, source.metric);
        add_step_means(run, slot, source.metric, line);
        lines.emplace_back(std::move(line));
    }
    SeriesLine::Content bands{
        .name = "Clock lowered by", .value = "reason", .unit = core::Unit::Number, .words = kBandWords};
    add_values(samples.of(core::Metric::Reasons), window, bands);
    if (!bands.times.empty()) lines.emplace_back(std::move(bands));
}

}  // namespace ui
