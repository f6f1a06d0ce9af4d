#include "core/analysis/telemetry/align_log.hpp"

#include "core/telemetry/log_builder.hpp"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr double kLeastCoverage = 0.8;
constexpr std::int64_t kHoldAlone = 60'000'000'000;

// The GPU with the most rows says what the log covers.
const GpuSamples* fullest_gpu(const TelemetryLog& log) {
    const auto most = std::ranges::max_element(log.gpus, {}, [](const GpuSamples& gpu) { return gpu.time.size(); });
    return most == log.gpus.end() || most->time.empty() ? nullptr : &*most;
}

bool has_error_in(const TelemetryLog& log, std::int64_t begin, std::int64_t end) {
    return std::ranges::any_of(log.errors, [&](const XidError& e) { return e.time >= begin && e.time < end; });
}

std::span<const double> activity_of(const GpuSamples& samples) {
    for (const Metric metric : {Metric::Utilisation, Metric::Power, Metric::SmClock})
        if (samples.has(metric)) return samples.of(metric);
    return {};
}

}  // namespace

std::optional<double> correlate(std::span<const double> a, std::span<const double> b) {
    double sum_a = 0, sum_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum_a += a[i];
        sum_b += b[i];
    }
    const double mean_a = sum_a / static_cast<double>(a.size()), mean_b = sum_b / static_cast<double>(a.size());
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    if (aa <= 0 || bb <= 0) return std::nullopt;
    return ab / std::sqrt(aa * bb);
}

std::int64_t hold_of(std::span<const std::int64_t> times) {
    std::vector<std::int64_t> intervals;
    for (std::size_t i = 1; i < times.size(); ++i)
        if (times[i] > times[i - 1]) intervals.push_back(times[i] - times[i - 1]);
    if (intervals.empty()) return kHoldAlone;
    const auto middle = intervals.begin() + std::ssize(intervals) / 2;
    std::ranges::nth_element(intervals, middle);
    return 3 * std::min(*middle, kHoldAlone);
}

double coverage_of(std::span<const std::int64_t> times, std::int64_t hold, std::int64_t begin, std::int64_t end) {
    if (end <= begin) return 0;
    std::int64_t covered = 0;
    auto at = std::ranges::lower_bound(times, begin - hold);
    for (; at != times.end() && *at < end; ++at) {
        const std::int64_t next = std::next(at) == times.end() ? *at + hold : std::min(*at + hold, *std::next(at));
        covered += std::max<std::int64_t>(std::min(next, end) - std::max(*at, begin), 0);
    }
    return static_cast<double>(covered) / static_cast<double>(end - begin);
}

std::vector<std::int64_t> find_offsets(const TelemetryLog& log, TelemetryWindow window) {
    constexpr std::int64_t kBefore = 3'600'000'000'000;
    const GpuSamples* const gpu = fullest_gpu(log);
    if (log.has_zone) {
        const bool has_samples = gpu && gpu->time.back() >= window.begin && gpu->time.front() < window.end;
        const bool fits = has_samples || has_error_in(log, window.begin - kBefore, window.end);
        return fits ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{};
    }
    std::vector<std::int64_t> offsets;
    const std::int64_t hold = gpu ? hold_of(gpu->time) : 0;
    for (std::int64_t offset = kEarliestZone; offset <= kLatestZone; offset += kZoneStep) {
        const std::int64_t begin = window.begin + offset, end = window.end + offset;
        const bool fits =
            gpu ? coverage_of(gpu->time, hold, begin, end) >= kLeastCoverage : has_error_in(log, begin - kBefore, end);
        if (fits) offsets.push_back(offset);
    }
    return offsets;
}

std::optional<double> compare_activity(const GpuSamples& samples, std::int64_t offset, const RankSlot& rank) {
    constexpr std::size_t kLeastSamples = 8;
    const std::span<const double> logged = activity_of(samples);
    const RankRange window = rank.index->gpu_window();
    std::vector<double> busy, active;
    for (std::size_t i = 0; i + 1 < logged.size(); ++i) {
        const RankRange until_next{rank_time(samples.time[i] - offset), rank_time(samples.time[i + 1] - offset)};
        if (until_next.begin < window.begin || until_next.end > window.end || until_next.empty() ||
            std::isnan(logged[i + 1]))
            continue;
        const ClassTimes times = rank.index->partition().times(until_next);
        busy.push_back(1 -
                       static_cast<double>(times.idle().count()) / static_cast<double>(until_next.length().count()));
        active.push_back(logged[i + 1]);  // what is read at the end is of the time before
    }
    return busy.size() < kLeastSamples ? std::nullopt : correlate(busy, active);
}

}  // namespace core
