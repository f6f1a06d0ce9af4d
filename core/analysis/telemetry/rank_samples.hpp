#pragma once
// Samples of clocks, power, heat and errors, joined with the ranks of a run: from counters in the traces and from logs
// next to them. Times are on each rank's own clock. Definitions: docs/definitions.md, telemetry.

#include "core/index/run.hpp"
#include "core/telemetry/telemetry_log.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

// Values of one metric; never NaN.
struct MetricSamples {
    std::vector<RankTime> time;  // ascending
    std::vector<double> value;
    Duration hold{0};  // how long a sample stands for at most: three median intervals
    std::string source{};  // "nvidia-smi CSV", "trace"
    bool empty() const { return time.empty(); }
};

// Mean and highest of the samples in a range; absent without any.
struct Level {
    std::optional<double> mean{}, most{};
};
Level level_of(const MetricSamples& samples, RankRange range);

struct RankSamples {
    std::array<MetricSamples, kMetrics> metrics{};
    std::string mapping{};  // "in the trace", "by UUID", "by GPU index"; empty: no samples
    bool is_measured = false;  // the GPU is the rank's beyond doubt
    std::string why{};  // without samples of the clock: the reason
    const MetricSamples& of(Metric metric) const { return metrics[static_cast<std::size_t>(metric)]; }
    bool empty() const { return mapping.empty(); }
};

// Why a log is of no use.
enum class LogFate : std::uint8_t { Used, OtherTime, OtherDevice, NoTime, NoHeader, ZoneUndecided, Unmapped, NoClock };
struct JoinedLog {
    std::string file;  // its name
    TelemetryKind kind = TelemetryKind::QueryCsv;
    LogFate fate = LogFate::Used;
    std::string why{};  // in words, of any other fate
    std::int64_t utc_offset = 0;  // seconds that its times are ahead of UTC
    bool is_zone_found = false;  // the offset was found by where the traces are
    std::string mapping{};  // "rank 0 = GPU 0, …"
    std::uint64_t in_window = 0;  // rows of the ranks' GPU windows
    std::uint64_t rows = 0;
    std::uint64_t unread = 0;
    bool is_cut = false;
    std::string failure{};
};

// An error that a kernel log reports.
struct JoinedError {
    std::optional<std::uint32_t> slot;  // absent: which rank is unknown
    RunTime time{};
    std::int64_t number = 0;
    std::string gpu;
};

struct Telemetry {
    std::vector<RankSamples> ranks;  // by slot
    std::vector<JoinedLog> logs;  // by path
    std::vector<JoinedError> errors;  // by time
    bool has_samples() const;
};

// Reads the run's logs when first asked; made once per run. Any thread.
std::shared_ptr<const Telemetry> telemetry_of(const Run& run);

// Whether a run has logs of GPUs, or counters in its traces that say what they would. Reads nothing.
bool may_have_telemetry(const Run& run);

// "UTC+02:00"; "UTC" of 0 seconds.
std::string format_utc_offset(std::int64_t seconds);
// "used: UTC+02:00, rank 0 = GPU 0, …; 1,234 samples in the window", or why the log is ignored.
std::string describe_log(const JoinedLog& log);

// The GPU that most of a rank's work ran on; -1: none.
std::int64_t main_gpu_of(const RankTrace& trace);

}  // namespace core
