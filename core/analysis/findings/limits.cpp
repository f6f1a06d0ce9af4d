#include "core/analysis/findings/limits.hpp"

#include "core/base/small_json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace core {
namespace {

constexpr double kNone = -1;
constexpr double kMostLimit = 1e6;

// Sources: "chapter" is the profiling chapter that this program follows, "ours" is our own choice.
constexpr std::array<LimitRow, kLimits> kRows = {{
    {"data-bound.loading", 0.10, "the host waits for data for this share of the step", "ours"},
    {"data-bound.idle", 0.50, "and this share of that time the GPU is idle", "ours"},
    {"host-bound.idle", 0.25, "the GPU is idle for this share of the step", "ours"},
    {"host-bound.host_wait", 0.50, "and waits for the host in this share of the idle time", "ours"},
    {"waiting.exposed", 0.15, "straggler- and imbalance-bound: exposed communication, of the step", "ours"},
    {"waiting.share", 0.50, "and this share of it is waiting for a later rank", "ours"},
    {"communication-bound.times", 1.2, "exposed communication is more than so many times compute", "chapter"},
    {"communication-bound.share", 0.25, "or this share of the step", "ours"},
    {"copy-bound.share", 0.15, "exposed copies, of the step", "ours"},
    {"compute-bound.share", 0.60, "compute, of the step", "ours"},
    {"compute-bound.math", 0.50, "math: the FLOP at peak, of the time of matrix operators", "ours"},
    {"compute-bound.memory", 0.50, "memory: memory-bound kernels, of the kernel time", "ours"},
    {"compute-bound.launch", 1.0 / 3, "launch: kernels shorter than a launch, of the kernel time", "ours"},
    {"classic.times", 1.2, "the chapter's own verdict: one of compute and communication is so many times the other",
     "chapter"},
    {"steps.warn", 0.10, "(p90 - p10) / median of the step time", "ours"},
    {"steps.bad", 0.25, "the same", "ours"},
    {"stragglers.warn", 0.10, "own work of the slowest rank over the mean", "chapter (1.1, of step time)"},
    {"stragglers.bad", 0.30, "the same", "ours"},
    {"utilisation.warn", 0.30, "MFU below it", "chapter"},
    {"utilisation.bad", 0.10, "the same", "ours"},
    {"tensor-cores.warn", 0.10, "matrix FLOP in fp32 without tf32", "ours"},
    {"tensor-cores.bad", 0.50, "the same", "ours"},
    {"mixed-precision.warn", 0.50, "matrix FLOP in 16 bits or less below it", "ours"},
    {"mixed-precision.bad", kNone, "none", "ours"},
    {"batch.warn", 0.20, "kernel time in kernels shorter than a launch", "ours"},
    {"batch.bad", 0.40, "the same", "ours"},
    {"host.warn", 0.10, "the GPU waits for the host, of the window", "ours"},
    {"host.bad", 0.25, "the same", "ours"},
    {"data-loading.warn", 0.05, "the host waits for data while the GPU is idle, of the window", "ours"},
    {"data-loading.bad", 0.15, "the same", "ours"},
    {"overlap.warn", 0.50, "overlap efficiency below it, where communication is exposed", "chapter"},
    {"overlap.bad", 0.20, "the same", "ours"},
    {"communication.warn", 0.50, "bus bandwidth of the largest messages over that of the links", "chapter"},
    {"communication.bad", 0.25, "the same", "ours"},
    {"memory-pressure.warn", 0.90, "peak reserved memory over that of the device", "chapter"},
    {"memory-pressure.bad", 0.95, "the same", "ours"},
    {"slack.warn", 0.30, "1 - allocated / reserved at the peak", "chapter"},
    {"slack.bad", 0.50, "the same", "ours"},
    {"allocations.warn", 0.0, "time in cudaMalloc and cudaFree after the first step, of the steps", "ours"},
    {"allocations.bad", 0.01, "the same", "ours"},
    {"coverage.warn", 0.95, "time of matrix kernels whose FLOP are counted below it", "ours"},
    {"coverage.bad", 0.50, "the same", "ours"},
    {"clocks.warn", 0.03, "the other GPUs' clock over that of the slowest, or the highest over that of all, less 1",
     "ours"},
    {"clocks.bad", kNone, "none", "ours"},
    {"errors.warn", kNone, "none", "ours"},
    {"errors.bad", 0.0, "GPUs with errors of memory, link or bus after which they need a check", "NVIDIA's Xid list"},
}};

std::mutex& limits_mutex() {
    static std::mutex mutex;
    return mutex;
}

struct ProcessLimits {
    Limits of_file, of_options;
};

ProcessLimits& limits_of_process() {
    static ProcessLimits limits;
    return limits;
}

}  // namespace

std::span<const LimitRow> limit_rows() { return kRows; }

Limits::Limits() {
    for (std::size_t i = 0; i < kLimits; ++i) values_[i] = kRows[i].standard;
}

std::optional<double> Limits::of_health(std::size_t place) const {
    const double value = values_[static_cast<std::size_t>(Limit::FirstOfHealth) + place];
    return value < 0 ? std::nullopt : std::optional(value);
}

std::optional<double> Limits::find(std::string_view id) const {
    const auto row = std::ranges::find(kRows, id, &LimitRow::id);
    if (row == kRows.end()) return std::nullopt;
    const double value = values_[static_cast<std::size_t>(row - kRows.begin())];
    return value < 0 ? std::nullopt : std::optional(value);
}

std::optional<Error> Limits::set(std::string_view id, double value) {
    const auto row = std::ranges::find(kRows, id, &LimitRow::id);
    if (row == kRows.end())
        return Error{ErrorCode::BadInput,
                     "no limit is called '" + std::string(id.substr(0, 40)) + "': use one like host.warn"};
    if (!std::isfinite(value) || value < 0 || value > kMostLimit)
        return Error{ErrorCode::BadInput, std::string(id) + " is not a number from 0 on, like 0.2"};
    values_[static_cast<std::size_t>(row - kRows.begin())] = value;
    given_[static_cast<std::size_t>(row - kRows.begin())] = true;
    return std::nullopt;
}

void Limits::add(const Limits& other) {
    for (std::size_t i = 0; i < kLimits; ++i) {
        if (!other.given_[i]) continue;
        values_[i] = other.values_[i];
        given_[i] = true;
    }
}

std::optional<Error> Limits::add(std::string_view text) {
    for (bool more = true; more;) {
        const std::size_t comma = text.find(',');
        const std::string_view pair = text.substr(0, comma);
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos)
            return Error{ErrorCode::BadInput, "a limit without a value: give one like host.warn=0.2"};
        double value = kNone;
        const char* const end = pair.data() + pair.size();
        const auto [read, error] = std::from_chars(pair.data() + equals + 1, end, value);
        if (error != std::errc{} || read != end) value = kNone;
        if (std::optional<Error> wrong = set(pair.substr(0, equals), value)) return wrong;
        more = comma != std::string_view::npos;
        if (more) text.remove_prefix(comma + 1);
    }
    return std::nullopt;
}

std::optional<Error> Limits::add_json(std::string_view json) {
    const Result<nlohmann::json> parsed = parse_small_json(json, {.depth = 2, .comments = true});
    if (!parsed) return parsed.error();
    if (!parsed->is_object())
        return Error{ErrorCode::BadInput, "the limits are not a JSON object: {\"host.warn\": 0.2}"};
    for (const auto& [id, value] : parsed->items())
        if (std::optional<Error> wrong = set(id, value.is_number() ? value.get<double>() : kNone)) return wrong;
    return std::nullopt;
}

void set_limits(const Limits& of_file, const Limits& of_options) {
    const std::lock_guard lock(limits_mutex());
    limits_of_process() = {of_file, of_options};
}

void replace_file_limits(const Limits& of_file) {
    const std::lock_guard lock(limits_mutex());
    limits_of_process().of_file = of_file;
}

Limits current_limits() {
    const std::lock_guard lock(limits_mutex());
    Limits limits = limits_of_process().of_file;
    limits.add(limits_of_process().of_options);
    return limits;
}

std::shared_ptr<const Limits> limits_of(const Run& run) {
    return run.derived().get<Limits>([] { return std::make_shared<const Limits>(current_limits()); });
}

}  // namespace core
