#pragma once
// Opens what `nsys export -t sqlite` writes. A file may hold several ranks.

#include "core/ingest/source/trace_reader.hpp"

#include <filesystem>

namespace core {

Result<std::unique_ptr<TraceReader>> open_nsys_file(const std::filesystem::path& path, LoadProgress& progress);

}  // namespace core
