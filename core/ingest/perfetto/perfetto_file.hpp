#pragma once
// Reads Perfetto's own format (.pftrace, .perfetto-trace), plain or in gzip, with packets that are deflated one by one.

#include "core/ingest/source/byte_source.hpp"
#include "core/ingest/source/trace_reader.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace core {

// Whether the first bytes of a file are packets of such a trace.
bool begins_perfetto(std::string_view head);

// Updates `progress`, which must outlive the reader.
Result<std::unique_ptr<TraceReader>> open_perfetto_file(const std::filesystem::path& path, LoadProgress& progress);
// The same of bytes that need not be in a file.
std::unique_ptr<TraceReader> read_perfetto(std::filesystem::path path, std::unique_ptr<ByteSource> source,
                                           LoadProgress& progress);

}  // namespace core
