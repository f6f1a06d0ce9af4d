#pragma once
// Opens the sources of NCCL: debug logs, JSON lines of the inspector, traces of profiler plugins. Each process of a
// file is a rank with NcclFacts; where the source has times, its calls are events. The rank is that in the largest
// communicator, absent where two processes of the file would have the same.

#include "core/ingest/source/trace_reader.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace core {

bool begins_nccl_log(std::string_view head);
bool begins_nccl_inspector(std::string_view head);
bool begins_nccl_profiler(std::string_view head);

Result<std::unique_ptr<TraceReader>> open_nccl_log(const std::filesystem::path&, LoadProgress&);
Result<std::unique_ptr<TraceReader>> open_nccl_inspector(const std::filesystem::path&, LoadProgress&);
Result<std::unique_ptr<TraceReader>> open_nccl_profiler(const std::filesystem::path&, LoadProgress&);

}  // namespace core
