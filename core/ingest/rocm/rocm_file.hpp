#pragma once
// Opens databases of AMD's profilers: rocpd of rocprofv3, and .rpd of rpdTracer. A file may hold several ranks.

#include "core/ingest/source/trace_reader.hpp"

#include <filesystem>

namespace core {

Result<std::unique_ptr<TraceReader>> open_rocpd_file(const std::filesystem::path& path, LoadProgress& progress);
Result<std::unique_ptr<TraceReader>> open_rpd_file(const std::filesystem::path& path, LoadProgress& progress);

}  // namespace core
