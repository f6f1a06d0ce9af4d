#pragma once
// Reads one Kineto or Chrome JSON file: any free thread splits off a chunk, chunks are parsed in
// parallel and appended in order. At most kChunksAhead parsed chunks wait for an earlier one, so
// memory is bounded.

#include "core/ingest/source/byte_source.hpp"
#include "core/ingest/source/trace_reader.hpp"

#include <memory>

namespace core {

// Updates `progress`, which must outlive the reader.
Result<std::unique_ptr<TraceReader>> open_kineto_file(const std::filesystem::path& path, LoadProgress& progress);

}  // namespace core
