#pragma once
// Reads a dump of PyTorch's flight recorder as a rank: an event from creation to completion per entry, on a track per
// process group. An entry that isn't completed lasts to the last time in the dump and keeps its state as its category.
// The parts of a batch take state and end from the entry that closes it.
// Says nothing of other ranks; the hangs analysis compares them.

#include "core/ingest/source/trace_reader.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace core {

// The first bytes of a dump, pickled or JSON; more of the file may follow.
bool begins_flight_dump(std::string_view head);

Result<std::unique_ptr<TraceReader>> open_flight_recorder(const std::filesystem::path&, LoadProgress&);

}  // namespace core
