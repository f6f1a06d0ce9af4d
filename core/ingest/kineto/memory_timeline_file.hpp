#pragma once
// Reads PyTorch's raw memory timeline (export_memory_timeline to a .raw.json.gz): a list of [time in ns, action, signed
// bytes, category], where action 1 is what was there before, 2 an allocation, 3 half of a change of version and 4 a
// free, and categories are counted from Parameter.
//
// Produces instants named [memory] with the timeline's category, and one counter with a series per
// category: the running sum of its bytes. Earlier allocations have no time (-1) and take the first
// known time. Changes of version move bytes between categories and affect counters only. One thread
// reads; the file is never held whole.

#include "core/ingest/source/trace_reader.hpp"

#include <memory>
#include <string_view>

namespace core {

// True if the text starts like such a file.
bool begins_memory_timeline(std::string_view text);

Result<std::unique_ptr<TraceReader>> open_memory_timeline(const std::filesystem::path& path, LoadProgress& progress);

}  // namespace core
