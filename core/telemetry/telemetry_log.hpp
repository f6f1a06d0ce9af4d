#pragma once
// One log of GPU clocks, power, heat and errors: per device a row of values for each time. Times are
// nanoseconds since 1970, of UTC or of an unknown zone. A value that the log lacks is NaN, never 0. Immutable once
// read.

#include "core/telemetry/metric.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class TelemetryKind : std::uint8_t { QueryCsv, Dmon, Exporter, DcgmDmon, KernelLog, JsonLines, AmdCsv };
std::string_view name_of(TelemetryKind);  // "nvidia-smi CSV": the source of a sample

// As the log names a GPU; empty or -1: it does not say.
struct LoggedGpu {
    std::string host{};
    std::string uuid{};
    std::string bus{};  // PCI address, as written
    std::int64_t index = -1;
    std::int64_t rank = -1;
    bool operator==(const LoggedGpu&) const = default;
};
std::string describe_gpu(const LoggedGpu&);  // "GPU 3", "GPU-6f1c…", "rank 2"

struct GpuSamples {
    LoggedGpu gpu;
    std::vector<std::int64_t> time;  // ascending
    std::array<std::vector<double>, kMetrics> values{};  // as long as time, or empty: the log has none

    bool has(Metric metric) const { return !values[static_cast<std::size_t>(metric)].empty(); }
    std::span<const double> of(Metric metric) const { return values[static_cast<std::size_t>(metric)]; }
};

struct XidError {
    std::int64_t time = 0;
    std::int64_t number = 0;
    LoggedGpu gpu;
};

struct TelemetryLog {
    std::filesystem::path path;
    TelemetryKind kind = TelemetryKind::QueryCsv;
    bool has_header = true;  // false: nothing says what its columns are
    bool has_time = true;  // false: no line says when
    bool has_zone = false;  // times are of UTC
    bool is_offset_given = false;  // by the user, who said the zone
    std::optional<std::int64_t> first{}, last{};  // of all rows, also those not near the traces
    std::uint64_t rows = 0;  // lines that were understood
    std::uint64_t unread = 0;  // lines that were not
    bool is_cut = false;  // more rows near the traces than are held
    std::string failure{};  // reading ended early; the rows before it are here
    std::vector<GpuSamples> gpus{};
    std::vector<XidError> errors{};
};

// One GPU in the user's file of the places of ranks.
struct MappedGpu {
    std::string host{};
    std::int64_t local_rank = -1;
    std::int64_t rank = -1;
    std::string gpu{};  // its UUID, PCI address or index
};

// RankInfo::trace_name of the companion that stands for a log in its run.
inline constexpr std::string_view kTelemetryLog = "GPU telemetry";

struct TelemetryLogs {
    std::vector<TelemetryLog> logs;  // by path
    std::vector<MappedGpu> map{};
};

// Times in which samples are of use: those of the traces, on a clock of UTC.
struct TelemetryWindow {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

}  // namespace core
