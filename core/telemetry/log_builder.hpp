#pragma once
// Collects the rows of one log while it is read, and keeps only those near the traces: memory does not grow with the
// length of the log. Rows without a zone are near if any zone of a quarter of an hour places them there.

#include "core/telemetry/log_time.hpp"
#include "core/telemetry/telemetry_log.hpp"

#include <map>
#include <optional>
#include <string>

namespace core {

inline constexpr std::size_t kMostRowsOfLog = 4'000'000;
inline constexpr std::size_t kMostGpusOfLog = 4'096;
inline constexpr std::size_t kMostErrorsOfLog = 10'000;
inline constexpr std::int64_t kZoneStep = 900'000'000'000;  // ns between the offsets that zones have
inline constexpr std::int64_t kEarliestZone = -12 * 4 * kZoneStep;  // local time minus UTC, ns
inline constexpr std::int64_t kLatestZone = 14 * 4 * kZoneStep;

class LogBuilder {
public:
    // utc_offset: seconds that local times are ahead of UTC, if the user says so.
    LogBuilder(TelemetryLog& log, TelemetryWindow window, std::optional<std::int64_t> utc_offset);

    // A place in the log's devices for a GPU of these names; absent: too many.
    std::optional<std::size_t> find_gpu(const LoggedGpu& gpu);
    // Begins a row; false: it is too far from the traces, or one too many, and is only counted.
    bool begin_row(LogTime time);
    // Adds to the row that was begun, of this GPU.
    void add(std::size_t gpu, Metric metric, double value);
    // Adds the reason to the mask of the row.
    void add_reason(std::size_t gpu, std::uint64_t bit);
    void add_error(LogTime time, std::int64_t number, const LoggedGpu& gpu);
    void count_unread() { ++log_.unread; }
    void note_no_time() { ++without_time_; }
    void note_no_header() { log_.has_header = false; }
    // Sorts the rows of each GPU by time.
    void finish();

private:
    std::int64_t to_utc(LogTime time) const;
    bool is_near(std::int64_t time, bool has_zone, std::int64_t before) const;
    std::size_t row_of(GpuSamples& samples);

    TelemetryLog& log_;
    TelemetryWindow window_;
    std::optional<std::int64_t> utc_offset_;
    std::map<std::string, std::size_t, std::less<>> gpus_;
    std::size_t last_gpu_ = 0;
    std::size_t rows_kept_ = 0;
    std::uint64_t without_time_ = 0;
    std::int64_t now_ = 0;
    bool any_zone_ = false;
};

}  // namespace core
