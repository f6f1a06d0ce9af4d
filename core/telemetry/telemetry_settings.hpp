#pragma once
// The user's word on logs of GPUs: further files, their zone, names of columns, which GPU is which rank. Set once for
// the process, before runs are opened.

#include "core/base/result.hpp"
#include "core/telemetry/telemetry_log.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct TelemetrySettings {
    std::vector<std::filesystem::path> files{};  // besides those next to the traces
    std::optional<std::int64_t> utc_offset{};  // seconds that times without a zone are ahead of UTC
    std::string columns{};  // of tables without a header, separated by commas
    std::vector<MappedGpu> map{};
};

void set_telemetry_settings(TelemetrySettings settings);
std::shared_ptr<const TelemetrySettings> telemetry_settings();

// CSV with a header of host, local_rank or rank, and uuid, bus or index. At most 1 MiB.
Result<std::vector<MappedGpu>> parse_gpu_map(std::string_view text);

}  // namespace core
