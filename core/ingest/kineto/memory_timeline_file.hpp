#pragma once
// Reads PyTorch's raw memory timeline (export_memory_timeline to a .raw.json.gz): a list of [time in ns, action, signed
// bytes, category], where action 1 is what was there before, 2 an allocation, 3 half of a change of version and 4 a free,
// and categories are counted from Parameter.
//
// Becomes moments named [memory], whose category is the timeline's, and one counter with a series per category: the
// running sum of its bytes. What was there before has no time (-1); it is put at the first moment that has one. Changes
// of version move bytes between categories and are counters only. One thread reads; the file is never held whole.

#include "core/ingest/trace_reader.hpp"

#include <memory>
#include <string_view>

namespace core {

// Whether this is how such a file begins.
bool begins_memory_timeline(std::string_view text);

Result<std::unique_ptr<TraceReader>> open_memory_timeline(const std::filesystem::path& path, LoadProgress& progress);

}  // namespace core
