#pragma once
// Reads a memory snapshot as a rank. Allocations and frees become [memory] instants with the totals after them, as a
// trace with profile_memory=True has them; requests to the device, segments and blocks at the end become instants too.
// "Total Allocated" adds up what was asked for: the blocks at the end minus the history's changes give its beginning.

#include "core/ingest/source/trace_reader.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace core {

// The first bytes of a pickled snapshot; more of the file may follow.
bool begins_memory_snapshot(std::string_view head);

Result<std::unique_ptr<TraceReader>> open_memory_snapshot(const std::filesystem::path&, LoadProgress&);

}  // namespace core
