#pragma once
// Opens what the profilers of JAX and TensorFlow write: planes of devices and hosts in a protobuf (XSpace). Each device
// with work is a rank.

#include "core/ingest/source/byte_source.hpp"
#include "core/ingest/source/trace_reader.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace core {

Result<std::unique_ptr<TraceReader>> open_xplane_file(const std::filesystem::path& path, LoadProgress& progress);

// The same from any source of bytes, which is read several times.
using OpenBytes = std::function<Result<std::unique_ptr<ByteSource>>()>;
std::unique_ptr<TraceReader> read_xplane(std::filesystem::path path, OpenBytes open, LoadProgress& progress);

}  // namespace core
