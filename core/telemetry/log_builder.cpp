#include "core/telemetry/log_builder.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace core {
namespace {

constexpr std::int64_t kNear = 60'000'000'000;  // a minute: longer than samples last
constexpr std::int64_t kErrorsBefore = 3'600'000'000'000;  // an hour
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// By UUID, else by address, else by number: what stays the same from line to line.
std::string key_of_gpu(const LoggedGpu& gpu) {
    std::string key = gpu.host;
    key.push_back('\n');
    if (!gpu.uuid.empty()) return key + gpu.uuid;
    if (!gpu.bus.empty()) return key + gpu.bus;
    return key + std::to_string(gpu.index) + "," + std::to_string(gpu.rank);
}

// A local clock that is set back by an hour within the log, as at the end of summer time: the rows after it are an hour
// later than they say. By GPU, in the order of the file, as logs of several GPUs may follow each other.
void undo_clock_changes(std::vector<std::int64_t>& times) {
    constexpr std::int64_t kSecond = 1'000'000'000, kHour = 3'600 * kSecond;
    constexpr std::int64_t kLongestInterval = 120 * kSecond, kJitter = 5 * kSecond;
    std::int64_t later = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
        const std::int64_t step = times[i] + later - times[i - 1];
        if (step <= kLongestInterval - kHour && step >= -kHour - kJitter) later += kHour;
        times[i] += later;
    }
}

template <class T>
void apply_order(std::vector<T>& values, std::span<const std::size_t> order) {
    if (values.empty()) return;
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (const std::size_t i : order) sorted.push_back(values[i]);
    values = std::move(sorted);
}

}  // namespace

std::string_view name_of(TelemetryKind kind) {
    switch (kind) {
        case TelemetryKind::QueryCsv:
            return "nvidia-smi CSV";
        case TelemetryKind::Dmon:
            return "nvidia-smi dmon";
        case TelemetryKind::Exporter:
            return "DCGM exporter";
        case TelemetryKind::DcgmDmon:
            return "dcgmi dmon";
        case TelemetryKind::KernelLog:
            return "kernel log";
        case TelemetryKind::JsonLines:
            return "JSON lines";
        case TelemetryKind::AmdCsv:
            return "AMD SMI CSV";
    }
    return {};
}

std::string describe_gpu(const LoggedGpu& gpu) {
    std::string text;
    if (gpu.rank >= 0)
        text = "rank " + std::to_string(gpu.rank);
    else if (gpu.index >= 0)
        text = "GPU " + std::to_string(gpu.index);
    else if (!gpu.uuid.empty())
        text = gpu.uuid;
    else if (!gpu.bus.empty())
        text = "GPU at " + gpu.bus;
    else
        text = "a GPU without a name";
    return gpu.host.empty() ? text : text + " of " + gpu.host;
}

LogBuilder::LogBuilder(TelemetryLog& log, TelemetryWindow window, std::optional<std::int64_t> utc_offset)
    : log_(log), window_(window), utc_offset_(utc_offset) {}

std::optional<std::size_t> LogBuilder::find_gpu(const LoggedGpu& gpu) {
    if (last_gpu_ < log_.gpus.size() && log_.gpus[last_gpu_].gpu == gpu) return last_gpu_;
    const auto known = gpus_.find(key_of_gpu(gpu));
    if (known != gpus_.end()) return last_gpu_ = known->second;
    if (log_.gpus.size() >= kMostGpusOfLog) return std::nullopt;
    gpus_.emplace(key_of_gpu(gpu), log_.gpus.size());
    log_.gpus.push_back({.gpu = gpu, .time = {}});
    return last_gpu_ = log_.gpus.size() - 1;
}

std::int64_t LogBuilder::to_utc(LogTime time) const {
    std::int64_t ns = time.ns;
    if (!time.has_year) ns = with_year_near(ns, window_.begin);
    if (!time.has_zone && utc_offset_) ns -= *utc_offset_ * 1'000'000'000;
    return ns;
}

bool LogBuilder::is_near(std::int64_t time, bool has_zone, std::int64_t before) const {
    const std::int64_t begin = window_.begin - before;
    const std::int64_t end = window_.end + kNear;
    if (has_zone) return time >= begin && time < end;
    if (time < begin + kEarliestZone || time >= end + kLatestZone) return false;
    return (time - (begin + kEarliestZone)) % kZoneStep < end - begin;
}

bool LogBuilder::begin_row(LogTime time) {
    now_ = to_utc(time);
    const bool has_zone = time.has_zone || utc_offset_;
    any_zone_ = any_zone_ || time.has_zone;
    ++log_.rows;
    log_.first = log_.first ? std::min(*log_.first, now_) : now_;
    log_.last = log_.last ? std::max(*log_.last, now_) : now_;
    if (!is_near(now_, has_zone, kNear)) return false;
    if (rows_kept_ >= kMostRowsOfLog) {
        log_.is_cut = true;
        return false;
    }
    return true;
}

std::size_t LogBuilder::row_of(GpuSamples& samples) {
    if (samples.time.empty() || samples.time.back() != now_) {
        samples.time.push_back(now_);
        ++rows_kept_;
        for (std::vector<double>& column : samples.values)
            if (!column.empty()) column.push_back(kAbsent);
    }
    return samples.time.size() - 1;
}

void LogBuilder::add(std::size_t gpu, Metric metric, double value) {
    GpuSamples& samples = log_.gpus[gpu];
    const std::size_t row = row_of(samples);
    std::vector<double>& column = samples.values[static_cast<std::size_t>(metric)];
    if (column.empty()) column.assign(samples.time.size(), kAbsent);
    column[row] = value;
}

void LogBuilder::add_reason(std::size_t gpu, std::uint64_t bit) {
    GpuSamples& samples = log_.gpus[gpu];
    const std::size_t row = row_of(samples);
    const std::span<const double> known = samples.of(Metric::Reasons);
    const double before = row < known.size() && known[row] >= 0 ? known[row] : 0;
    add(gpu, Metric::Reasons, static_cast<double>(static_cast<std::uint64_t>(before) | bit));
}

void LogBuilder::add_error(LogTime time, std::int64_t number, const LoggedGpu& gpu) {
    const std::int64_t at = to_utc(time);
    ++log_.rows;
    log_.first = log_.first ? std::min(*log_.first, at) : at;
    log_.last = log_.last ? std::max(*log_.last, at) : at;
    any_zone_ = any_zone_ || time.has_zone;
    if (!is_near(at, time.has_zone || utc_offset_, kErrorsBefore)) return;
    if (log_.errors.size() >= kMostErrorsOfLog)
        log_.is_cut = true;
    else
        log_.errors.push_back({.time = at, .number = number, .gpu = gpu});
}

void LogBuilder::finish() {
    log_.has_zone = any_zone_ || utc_offset_.has_value();
    log_.is_offset_given = !any_zone_ && utc_offset_.has_value();
    log_.has_time = log_.rows > 0 || without_time_ == 0;
    for (GpuSamples& samples : log_.gpus) {
        if (!any_zone_) undo_clock_changes(samples.time);
        if (std::ranges::is_sorted(samples.time)) continue;
        std::vector<std::size_t> order(samples.time.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return samples.time[i]; });
        apply_order(samples.time, order);
        for (std::vector<double>& column : samples.values) apply_order(column, order);
    }
    std::ranges::stable_sort(log_.errors, {}, &XidError::time);
}

}  // namespace core
