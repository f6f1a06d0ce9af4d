#pragma once
// Reads one Kineto or Chrome JSON file: cut into chunks by whoever is free, parsed side by side, appended in order.
// At most kChunksAhead parsed chunks wait for an earlier one, so memory stays bounded.

#include "core/ingest/source/bytes.hpp"
#include "core/ingest/trace_reader.hpp"

#include <memory>

namespace core {

// Adds to `progress`, which must outlive the reader.
Result<std::unique_ptr<TraceReader>> open_kineto_file(const std::filesystem::path& path, LoadProgress& progress);

}  // namespace core
