#pragma once
// Recognises logs of GPUs by their first bytes and reads them in one pass. A log that breaks off keeps the rows before.

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"
#include "core/telemetry/telemetry_log.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace core {

// head: the first bytes of the file, unpacked. Absent: it is none.
std::optional<TelemetryKind> recognise_telemetry(std::string_view head);
// The same of a file; absent also where it cannot be read.
std::optional<TelemetryKind> recognise_telemetry_file(const std::filesystem::path& path);

// Logs in the order of paths; files that are none are left out. O(bytes), memory is bounded by LogBuilder's limits.
// A table without a header takes that of a table with as many columns in its folder, or the user's columns.
TelemetryLogs read_telemetry(std::span<const std::filesystem::path> paths, TelemetryWindow window,
                             const JobContext& context);

}  // namespace core
